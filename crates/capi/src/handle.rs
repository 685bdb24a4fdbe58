//! Handles. Each is a pointer to an [`Object`] on the heap. C has a type for each variant. A function compares the
//! variant of the handle that it gets, and refuses a handle of another type.

use crate::{
    error::{EFAULT, EINVAL, Failure, caught},
    info::{Described, Info},
};
use algkit::{Aead, Cipher, Hash, Rng, Sealing, Skcipher, State};

/// A type of C whose values are handles.
pub trait Handle: Sized {
    /// The value that the handle refers to.
    type Inner;
    fn wrap(inner: Self::Inner) -> Object;
    fn of(object: &Object) -> Option<&Self::Inner>;
    fn of_mut(object: &mut Object) -> Option<&mut Self::Inner>;
}

macro_rules! handles {
    ($($name:ident, $variant:ident($inner:ty),)*) => {
        /// What a handle points to.
        pub enum Object {
            $($variant($inner),)*
        }

        $(
            /// The opaque type in C. No value of it exists: a pointer to it is a pointer to an [`Object`].
            pub struct $name {
                _never: [u8; 0],
            }

            impl Handle for $name {
                type Inner = $inner;

                fn wrap(inner: $inner) -> Object {
                    Object::$variant(inner)
                }

                fn of(object: &Object) -> Option<&$inner> {
                    if let Object::$variant(inner) = object { Some(inner) } else { None }
                }

                fn of_mut(object: &mut Object) -> Option<&mut $inner> {
                    if let Object::$variant(inner) = object { Some(inner) } else { None }
                }
            }
        )*
    };
}

handles! {
    algkit_cipher, Cipher(Described<Cipher>),
    algkit_skcipher, Skcipher(Described<Skcipher>),
    algkit_aead, Aead(Described<Aead>),
    algkit_aead_state, AeadState(Option<Sealing>),
    algkit_hash, Hash(Described<Hash>),
    algkit_hash_state, HashState(Option<State>),
    algkit_rng, Rng(Described<Rng>),
    algkit_list, List(Vec<Info>),
}

// C may use a handle from any thread, and a `const` handle from several threads at once.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<(Cipher, Skcipher, Aead, Sealing, Hash, State, Rng)>();
};

/// Makes a handle and writes it to `to`. After an error, `to` holds NULL.
///
/// # Safety
/// `to` is NULL or may be written.
pub unsafe fn give<H: Handle>(
    to: *mut *mut H,
    make: impl FnOnce() -> Result<H::Inner, Failure>,
) -> Result<(), Failure> {
    if to.is_null() {
        return Err(Failure::new(EFAULT, "NULL instead of a place for the handle"));
    }
    // SAFETY: the place may be written.
    unsafe { to.write(std::ptr::null_mut()) };
    let object = Box::new(H::wrap(make()?));
    // SAFETY: as above.
    unsafe { to.write(Box::into_raw(object).cast()) };
    Ok(())
}

/// The value that a handle refers to.
///
/// # Safety
/// `handle` is NULL or a handle of any type that lives for `'a`, and nobody changes the value meanwhile.
pub unsafe fn get<'a, H: Handle>(handle: *const H) -> Result<&'a H::Inner, Failure> {
    if handle.is_null() {
        return Err(Failure::new(EFAULT, "NULL instead of a handle"));
    }
    // SAFETY: a handle of any type points to an object.
    H::of(unsafe { &*handle.cast::<Object>() }).ok_or_else(another_type)
}

/// The value that a handle refers to, for changing it.
///
/// # Safety
/// `handle` is NULL or a handle of any type that lives for `'a`, and nobody else uses it meanwhile.
pub unsafe fn get_mut<'a, H: Handle>(handle: *mut H) -> Result<&'a mut H::Inner, Failure> {
    if handle.is_null() {
        return Err(Failure::new(EFAULT, "NULL instead of a handle"));
    }
    // SAFETY: a handle of any type points to an object.
    H::of_mut(unsafe { &mut *handle.cast::<Object>() }).ok_or_else(another_type)
}

/// The error for a state whose message has been ended.
pub fn ended() -> Failure {
    Failure::new(EINVAL, "this message has been ended")
}

fn another_type() -> Failure {
    Failure::new(EINVAL, "a handle of another type")
}

/// Frees a handle. A handle of another type is not freed.
///
/// # Safety
/// `handle` is NULL or a handle of any type, which is not used any more.
pub unsafe fn free<H: Handle>(handle: *mut H) {
    // SAFETY: as the caller promises.
    if unsafe { get(handle) }.is_ok() {
        // SAFETY: `give` made it of a box, and the caller gives it up.
        caught(|| drop(unsafe { Box::from_raw(handle.cast::<Object>()) }));
    }
}
