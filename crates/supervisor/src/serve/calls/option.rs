//! Options of sockets: `setsockopt` and `getsockopt`.

use crate::serve::{calls::Reply, served::Served, target::Target};
use algkit_afalg::{
    Errno,
    alg::NoKeyring,
    socket::{option_value, put_option},
};

/// `setsockopt`. Keys from keyrings are refused, because the supervisor would read them with its own rights, which may
/// be more than the target's.
pub fn set(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let [level, name, len] = [1, 2, 4].map(|n| target.request.int(n));
    let value = option_value(target, (level, name), target.request.args[3], len)?;
    served.lock().file.set_option(level, name, &value, &NoKeyring)?;
    Ok(Reply::Value(0))
}

/// `getsockopt`.
pub fn get(target: &Target<'_>, served: &Served) -> Result<Reply, Errno> {
    let [_, _, _, at, len_at, _] = target.request.args;
    let value = served.lock().file.option(target.request.int(1), target.request.int(2))?;
    put_option(&mut { *target }, at, len_at, &value)?;
    Ok(Reply::Value(0))
}
