//! The side of the interface that loads a shared object.

use crate::{All, One, Request, Work, abi};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::{
    ffi::{CStr, CString, c_void},
    path::Path,
    ptr,
};

/// A shared object with the interface. It is never unloaded.
pub struct Plugin {
    make: abi::Make,
    version: String,
}

impl Plugin {
    /// Loads the shared object, and hides its symbols from the rest of the process.
    pub fn load(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: the objects are those of this workspace, and the initializers of the libraries behind them have no
        // preconditions.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }?;
        // SAFETY: the objects declare these two functions with the types in abi.rs.
        let (make, version) =
            unsafe { (*library.get::<abi::Make>(b"peer_make")?, *library.get::<abi::Version>(b"peer_version")?) };
        std::mem::forget(library);
        // SAFETY: the function returns a static C string, and the library is never unloaded.
        let version = unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned();
        Ok(Self { make, version })
    }

    /// The library's version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The library's implementation of `request`, if it has one.
    pub fn work(&self, request: &Request) -> Option<Work> {
        let name = |name| CString::new(name).expect("names have no zeros");
        let (mode, cipher) = (name(request.mode), name(request.cipher));
        // The object may keep the case, including the names, for as long as the state lives.
        let case = abi::Case {
            mode: mode.as_ptr(),
            cipher: cipher.as_ptr(),
            key: request.key.as_ptr(),
            key_len: request.key.len(),
            assoc: request.assoc.as_ptr(),
            assoc_len: request.assoc.len(),
            size: request.size,
            messages: request.messages,
            stride: request.stride(),
            op: request.op as u32,
            level: request.level as u32,
            rekey: request.rekey,
        };
        let mut work = abi::Work { run: None, free: None, state: ptr::null_mut(), messages: 0 };
        // SAFETY: both arguments are valid. Key and associated data are static, and the names are kept beside the
        // state.
        if !unsafe { (self.make)(&case, &mut work) } {
            return None;
        }
        let (run, state) = (work.run?, State { state: work.state, free: work.free, _names: [mode, cipher] });
        let (size, stride) = (request.size, request.stride());
        if work.messages == 1 {
            let one: One = Box::new(move |iv, text, out| {
                assert!(text.len() >= size + crate::ROOM);
                // SAFETY: the state is the one that the object has made. The object accesses one IV, `size` bytes of
                // text and the room behind them, and one tag, which the arguments provide.
                unsafe { run(state.get(), iv, text.as_mut_ptr(), out) }
            });
            return Some(Work::One(one));
        }
        let messages = work.messages;
        let all: All = Box::new(move |ivs, text, outs| {
            assert!(ivs.len() == messages && outs.len() == messages && text.len() >= messages * stride);
            // SAFETY: as above, for `messages` of each, as asserted.
            unsafe { run(state.get(), ivs.as_ptr(), text.as_mut_ptr(), outs.as_mut_ptr()) }
        });
        Some(Work::All(all))
    }
}

/// The object's state, and the names that it may refer to.
struct State {
    state: *mut c_void,
    free: Option<unsafe extern "C" fn(*mut c_void)>,
    _names: [CString; 2],
}

impl State {
    /// A method, so that a closure that calls it captures the whole value and not only the pointer.
    fn get(&self) -> *mut c_void {
        self.state
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the object has made the state, and nothing uses it any more.
            unsafe { free(self.state) }
        }
    }
}
