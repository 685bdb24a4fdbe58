// A client of AF_ALG in Go, which makes system calls without libc: published examples of a hash, a cipher and an AEAD.
package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

func bytesOf(digits string) []byte {
	b, err := hex.DecodeString(digits)
	check("hex", err)
	return b
}

func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func operation(kind, name string, key []byte, tag int) int {
	fd, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
	check("socket", err)
	defer unix.Close(fd)
	check("bind", unix.Bind(fd, &unix.SockaddrALG{Type: kind, Name: name}))
	if key != nil {
		check("ALG_SET_KEY", unix.SetsockoptString(fd, unix.SOL_ALG, unix.ALG_SET_KEY, string(key)))
	}
	if tag > 0 {
		// The length of the option is the length of the tag.
		_, _, e := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_ALG, unix.ALG_SET_AEAD_AUTHSIZE, 0, uintptr(tag), 0)
		if e != 0 {
			check("ALG_SET_AEAD_AUTHSIZE", e)
		}
	}
	// unix.Accept asks for an address, which AF_ALG refuses.
	op, _, e := unix.Syscall(unix.SYS_ACCEPT, uintptr(fd), 0, 0)
	if e != 0 {
		check("accept", e)
	}
	return int(op)
}

func control(kind int32, data []byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(data)))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level = unix.SOL_ALG
	h.Type = kind
	h.SetLen(unix.CmsgLen(len(data)))
	copy(b[unix.CmsgLen(0):], data)
	return b
}

func word(n int) []byte {
	b := make([]byte, 4)
	*(*uint32)(unsafe.Pointer(&b[0])) = uint32(n)
	return b
}

func crypt(op, direction int, iv []byte, assoc int, text []byte, room int) []byte {
	oob := control(unix.ALG_SET_OP, word(direction))
	oob = append(oob, control(unix.ALG_SET_IV, append(word(len(iv)), iv...))...)
	if assoc > 0 {
		oob = append(oob, control(unix.ALG_SET_AEAD_ASSOCLEN, word(assoc))...)
	}
	n, err := unix.SendmsgN(op, text, oob, nil, 0)
	check("sendmsg", err)
	if n != len(text) {
		check("sendmsg", fmt.Errorf("took %d of %d bytes", n, len(text)))
	}
	out := make([]byte, room)
	n, err = unix.Read(op, out)
	check("read", err)
	return out[:n]
}

func expect(what string, got []byte, digits string) {
	if !bytes.Equal(got, bytesOf(digits)) {
		check(what, fmt.Errorf("got %x", got))
	}
}

// The same file under a number of the client's choice, and no other.
func moved(op, number int) int {
	check("dup3", unix.Dup3(op, number, unix.O_CLOEXEC))
	unix.Close(op)
	return number
}

func all(number int) {
	op := moved(operation("hash", "sha256", nil, 0), number)
	_, err := unix.Write(op, []byte("abc"))
	check("write", err)
	digest := make([]byte, 32)
	_, err = unix.Read(op, digest)
	check("read", err)
	expect("sha256", digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
	unix.Close(op)

	// SP 800-38A, F.2.1.
	op = operation("skcipher", "cbc(aes)", bytesOf("2b7e151628aed2a6abf7158809cf4f3c"), 0)
	iv := bytesOf("000102030405060708090a0b0c0d0e0f")
	text := bytesOf("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
	sealed := crypt(op, unix.ALG_OP_ENCRYPT, iv, 0, text, 32)
	expect("cbc(aes)", sealed, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
	expect("cbc(aes)", crypt(op, unix.ALG_OP_DECRYPT, iv, 0, sealed, 32), hex.EncodeToString(text))
	unix.Close(op)

	// The GCM specification, test case 4.
	op = operation("aead", "gcm(aes)", bytesOf("feffe9928665731c6d6a8f9467308308"), 16)
	iv = bytesOf("cafebabefacedbaddecaf888")
	aad := bytesOf("feedfacedeadbeeffeedfacedeadbeefabaddad2")
	text = bytesOf("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
		"1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
	sealed = crypt(op, unix.ALG_OP_ENCRYPT, iv, len(aad), append(append([]byte{}, aad...), text...), len(aad)+len(text)+16)
	expect("gcm(aes)", sealed[len(aad):], "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"+
		"21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47")
	opened := crypt(op, unix.ALG_OP_DECRYPT, iv, len(aad), sealed, len(aad)+len(text))
	expect("gcm(aes)", opened[len(aad):], hex.EncodeToString(text))
	unix.Close(op)
}

func main() {
	fd, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)
	check("socket", err)
	if err := unix.Bind(fd, &unix.SockaddrALG{Type: "hash", Name: "no-such-hash"}); err != unix.ENOENT {
		check("bind", fmt.Errorf("an unknown name: %v", err))
	}
	unix.Close(fd)
	// Goroutines run on several threads.
	var group sync.WaitGroup
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func(number int) {
			defer group.Done()
			for j := 0; j < 20; j++ {
				all(number)
			}
		}(800 + i) // a number in the range that seccomp mode serves
	}
	group.Wait()
	fmt.Println("equal")
}
