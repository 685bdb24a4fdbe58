//! `algkit man-pages FOLDER`: writes a man page for the command and each subcommand, for packages.
//!
//! The options come from clap_mangen. The text after them in `--help` is formatted here, because its examples and
//! paragraphs must stay separate.

use crate::{answer::Answer, error::Error, output::Output};
use clap::Command;
use clap_mangen::Man;
use std::{fs, io, path::Path};

/// Writes the pages of `command` into `folder`, which is created if necessary.
pub fn run(command: Command, folder: &Path) -> Result<Answer, Error> {
    // `algkit help` would repeat the pages.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    fs::create_dir_all(folder).map_err(|source| Error::write(folder, source))?;
    let name = command.get_name().to_owned();
    let version = command.get_version().unwrap_or_default().to_owned();
    pages(&command, &name, &version, folder)?;
    Ok(Answer::Yes)
}

/// Writes the page of a command and of its subcommands.
fn pages(command: &Command, name: &str, version: &str, folder: &Path) -> Result<(), Error> {
    let path = folder.join(format!("{name}.1"));
    let text = page(command, name, version).map_err(|source| Error::write(&path, source))?;
    let mut output = Output::file(&path, None)?;
    output.write(&text)?;
    output.finish()?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        pages(sub, &format!("{name}-{}", sub.get_name()), version, folder)?;
    }
    Ok(())
}

fn page(command: &Command, name: &str, version: &str) -> io::Result<Vec<u8>> {
    let behind = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man =
        Man::new(command.clone().display_name(name)).title(name.to_uppercase()).source(format!("algkit {version}"));
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut text)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    text.extend(notes(&behind).into_bytes());
    Ok(text)
}

/// Formats paragraphs as notes, and what follows a line `Examples:` verbatim.
fn notes(text: &str) -> String {
    let mut page = String::new();
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let (head, body) = match paragraph.strip_prefix("Examples:\n").or_else(|| paragraph.strip_prefix("Example:\n"))
        {
            Some(examples) => (".SH EXAMPLES\n.nf\n", format!("{}\n.fi\n", plain(examples))),
            None if page.contains(".SH NOTES") => (".PP\n", plain(paragraph) + "\n"),
            None => (".SH NOTES\n", plain(paragraph) + "\n"),
        };
        page += head;
        page += &body;
    }
    page
}

/// Escapes text for groff: backslashes, requests at the start of a line, and hyphens, so that they can be copied.
fn plain(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    let lines = escaped.lines().map(|line| if line.starts_with('.') { format!("\\&{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_and_examples_stay_apart() {
        let page = notes("One\n.two.\n\nThree `x` --y\n\nExamples:\n  a 'b' \\c");
        assert_eq!(
            page,
            ".SH NOTES\nOne\n\\&.two.\n.PP\nThree \\(gax\\(ga \\-\\-y\n.SH EXAMPLES\n.nf\n  a \\(aqb\\(aq \\ec\n.fi\n"
        );
    }
}
