//! What Java calls: `io.evenweave.yarn.Native`.
//!
//! # Panics
//! None crosses: each call catches it and throws a `java.lang.IllegalStateException` instead, as of all else that goes
//! wrong.
//!
//! # Handles
//! A [`Bridge`] is Java's as a number, its address. Java calls `destroy` once, after the last call with it has
//! returned, and holds a lock that sees to that; several may be there at once. 0 is none, and is refused.
#![expect(unsafe_code, reason = "names for Java, its buffers, and handles that it keeps")]
#![expect(unreachable_pub, reason = "Java reaches them")]

use crate::bridge::{Bridge, Kind, panicked};
use jni::JNIEnv;
use jni::objects::{JByteArray, JByteBuffer, JClass, JString};
use jni::sys::{jboolean, jint, jlong};
use std::panic::{AssertUnwindSafe, catch_unwind};

const PROBLEM: &str = "java/lang/IllegalStateException";

/// Runs a call; what goes wrong becomes an exception of Java's.
fn guarded<'l, T>(env: &mut JNIEnv<'l>, of_nothing: T, call: impl FnOnce(&mut JNIEnv<'l>) -> Result<T, String>) -> T {
    let outcome = catch_unwind(AssertUnwindSafe(|| call(env))).unwrap_or_else(|panic| Err(panicked(&*panic)));
    outcome.unwrap_or_else(|why| {
        // Where one is under way already, that one stays.
        let _ = env.throw_new(PROBLEM, why);
        of_nothing
    })
}

fn told(error: &jni::errors::Error) -> String {
    error.to_string()
}

const NO_HANDLE: &str = "the handle is 0: there is no such scheduler";

/// The scheduler of a handle.
///
/// # Safety
/// `handle` is 0, or what `create` gave, before `destroy`.
unsafe fn bridge<'a>(handle: jlong) -> Result<&'a Bridge, String> {
    // SAFETY: as the caller says.
    unsafe { (handle as *const Bridge).as_ref() }.ok_or_else(|| NO_HANDLE.to_owned())
}

/// Starts a scheduler.
#[unsafe(no_mangle)]
pub extern "system" fn Java_io_evenweave_yarn_Native_create<'l>(
    mut env: JNIEnv<'l>,
    _class: JClass<'l>,
    capacity: jboolean,
    start: JByteArray<'l>,
) -> jlong {
    guarded(&mut env, 0, |env| {
        let start = env.convert_byte_array(start).map_err(|error| told(&error))?;
        let kind = if capacity == 0 { Kind::Fair } else { Kind::Capacity };
        let bridge = Bridge::start(kind, &start).map_err(|error| error.to_string())?;
        Ok(Box::into_raw(Box::new(bridge)) as jlong)
    })
}

/// The resource types' names.
#[unsafe(no_mangle)]
pub extern "system" fn Java_io_evenweave_yarn_Native_types<'l>(
    mut env: JNIEnv<'l>,
    _class: JClass<'l>,
    handle: jlong,
) -> JString<'l> {
    guarded(&mut env, JString::default(), |env| {
        // SAFETY: Java calls with what `create` gave, before `destroy`.
        let bridge = unsafe { bridge(handle) }?;
        env.new_string(bridge.types()?).map_err(|error| told(&error))
    })
}

/// Works off the first `length` bytes of the one buffer, and answers into the other: with how many bytes. Where that
/// has no room, as many less than nothing, and `again` gives them.
#[unsafe(no_mangle)]
pub extern "system" fn Java_io_evenweave_yarn_Native_run<'l>(
    mut env: JNIEnv<'l>,
    _class: JClass<'l>,
    handle: jlong,
    batch: JByteBuffer<'l>,
    length: jint,
    answer: JByteBuffer<'l>,
) -> jint {
    guarded(&mut env, 0, |env| {
        // Of a call whose answer nobody has fetched.
        drop(KEPT.take());
        let length = usize::try_from(length).map_err(|_| "a batch of negative length".to_owned())?;
        let begin = env.get_direct_buffer_address(&batch).map_err(|error| told(&error))?;
        let whole = env.get_direct_buffer_capacity(&batch).map_err(|error| told(&error))?;
        if length > whole {
            return Err(format!("a batch of {length} bytes in a buffer of {whole}"));
        }
        // SAFETY: the buffer is Java's, has so many bytes, and is not written to while this call has it: Java holds its
        // lock.
        let batch = unsafe { std::slice::from_raw_parts(begin, length) };
        // SAFETY: Java calls with what `create` gave, before `destroy`.
        let bytes = unsafe { bridge(handle) }?.run(batch)?;
        hand_over(env, &answer, bytes)
    })
}

thread_local! {
    /// An answer that its buffer had no room for.
    static KEPT: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// The answer that the buffer of this thread's last call had no room for.
#[unsafe(no_mangle)]
pub extern "system" fn Java_io_evenweave_yarn_Native_again<'l>(
    mut env: JNIEnv<'l>,
    _class: JClass<'l>,
    answer: JByteBuffer<'l>,
) -> jint {
    guarded(&mut env, 0, |env| hand_over(env, &answer, KEPT.take()))
}

fn hand_over(env: &mut JNIEnv<'_>, to: &JByteBuffer<'_>, bytes: Vec<u8>) -> Result<jint, String> {
    let begin = env.get_direct_buffer_address(to).map_err(|error| told(&error))?;
    let room = env.get_direct_buffer_capacity(to).map_err(|error| told(&error))?;
    let length = jint::try_from(bytes.len()).map_err(|_| "an answer that no buffer holds".to_owned())?;
    if bytes.len() > room {
        KEPT.set(bytes);
        return Ok(-length);
    }
    // SAFETY: the buffer is Java's, has so many bytes, and nobody else looks at it while this call has it: Java holds
    // its lock.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), begin, bytes.len()) };
    Ok(length)
}

/// Ends a scheduler.
#[unsafe(no_mangle)]
pub extern "system" fn Java_io_evenweave_yarn_Native_destroy<'l>(
    mut env: JNIEnv<'l>,
    _class: JClass<'l>,
    handle: jlong,
) {
    guarded(&mut env, (), |_| {
        if handle == 0 {
            return Err(NO_HANDLE.to_owned());
        }
        // SAFETY: Java calls once with what `create` gave, when nobody calls with it any more.
        drop(unsafe { Box::from_raw(handle as *mut Bridge) });
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_handle_is_no_scheduler() {
        // SAFETY: 0 is none.
        assert_eq!(unsafe { bridge(0) }.map(|_| ()), Err(NO_HANDLE.to_owned()));
    }
}
