# Man pages of section 3, made from algkit.h.
# usage: awk -v version=VERSION -v folder=FOLDER -f man.awk algkit.h
#
# A comment whose second line is underlined begins a page: `name - what it is`, then its description. Every other comment that
# has lines to itself describes the declarations below it. A page has a link for each of its functions.

function escaped(text) {
    gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); gsub(/'/, "\\(aq", text)
    return text ~ /^[.]/ ? "\\&" text : text
}

# Ends what is said of some declarations. The description of a page has no declarations.
function said() {
    if (comment != "") description = description (names == "" ? ".PP\n" : ".SS " names "\n") comment
    comment = names = ""
}

# Ends the page.
function finish(   file) {
    said()
    if (page == "") return
    file = folder "/" page ".3"
    print ".TH " toupper(page) " 3 \"\" \"algkit " version "\" \"C library of algkit\"\n.ad l\n.nh" >file
    print ".SH NAME\n" page " \\- " title "\n.SH SYNOPSIS\n.nf\n#include <algkit.h>\n" synopsis ".fi\n.PP\nLink with \\-lalgkit." >file
    print ".SH DESCRIPTION\n" description ".SH SEE ALSO" >file
    print "algkit(3), algkit_error(3), algkit_info(3), algkit_cipher(3), algkit_skcipher(3), algkit_aead(3), algkit_hash(3), algkit_rng(3)" >file
    close(file)
}

# Comments.
/^\/\* .*\*\/$/ { said(); comment = escaped(substr($0, 4, length($0) - 6)) "\n"; next }
/^\/\*$/ { said(); inside = 1; next }
inside && /^ \*\/$/ { inside = 0; if (begins) said(); begins = 0; next }
inside && /^ \* -+$/ {
    # The line before is a title.
    begun = comment; comment = ""
    finish()
    page = title = begun; sub(/ .*\n/, "", page); sub(/^[^ ]* \\- /, "", title); sub(/\n/, "", title)
    synopsis = description = ""; begins = 1
    next
}
inside { sub(/^ \* ?/, ""); comment = comment ($0 == "" ? ".PP" : escaped($0)) "\n"; next }

# Declarations.
/^#|^ALGKIT_MUST_CHECK$|^extern "C"|^}$/ || page == "" { next }
{ synopsis = synopsis escaped($0) "\n" }
/^$/ { said() }
match($0, /algkit_[a-z0-9_]+\(/) {
    name = substr($0, RSTART, RLENGTH - 1)
    names = names (names == "" ? "" : ", ") name
    print ".so man3/" page ".3" >(folder "/" name ".3")
    close(folder "/" name ".3")
}
match($0, /^(struct|enum) algkit_[a-z0-9_]+/) { names = substr($0, RSTART, RLENGTH) }

END { finish() }
