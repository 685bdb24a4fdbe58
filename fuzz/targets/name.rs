//! The parser of names takes any text, and a name that it accepts is written as the same text.
#![no_main]

use algkit::Name;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Name::parse(text) {
        Ok(name) => {
            assert!(text.len() <= 127);
            assert_eq!(name.to_string(), text);
            let parts: usize = name.args.iter().map(|arg| arg.to_string().len() + 1).sum();
            assert_eq!(name.base.len() + parts + usize::from(parts > 0), text.len());
            assert!(name.args.iter().all(|arg| Name::parse(&arg.to_string()).as_ref() == Ok(arg)));
        }
        Err(error) => assert!(error.to_string().starts_with("bad algorithm name")),
    }
});
