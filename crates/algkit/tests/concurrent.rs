//! The registry while drivers come and go, and while they look each other up.

use algkit::{Driver, Error, Extent, Policy, Registry, SelfTest, Skcipher, Type, cpu::CpuFeatures, driver::BadKey};
use std::{
    sync::{
        Arc, Barrier, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

fn registry() -> Arc<Registry> {
    Arc::new(Registry::new(CpuFeatures::detect(), Policy::Constant))
}

/// A driver of `name` with the highest priority: this crate's best one, which calls `hook` before it takes a key.
fn hooked(name: &str, driver: &str, hook: impl Fn() -> Result<(), BadKey> + Send + Sync + 'static) -> Driver {
    let model = registry().find_any(name).unwrap();
    let (kind, shape) = (model.kind, model.shape.clone());
    let make = move |cpu, key: &[u8], weak| {
        hook()?;
        (model.make)(cpu, key, weak)
    };
    Driver::new(name, driver, kind, shape, make).with_priority(10_000)
}

/// A hook that runs once.
fn once(hook: impl Fn() + Send + Sync + 'static) -> impl Fn() -> Result<(), BadKey> + Send + Sync + 'static {
    let done = AtomicBool::new(false);
    move || {
        if !done.swap(true, SeqCst) {
            hook();
        }
        Ok(())
    }
}

fn upgrade(registry: &Weak<Registry>) -> Arc<Registry> {
    registry.upgrade().expect("the test holds it")
}

/// A way to take the driver `mac` away from a registry.
type Withdraw = fn(&Registry);

const MAC: &str = "hmac(sha256)";
const BOTH: &str = "authenc(hmac(sha256),ctr(aes))";

#[test]
fn nothing_is_composed_of_a_driver_that_was_withdrawn_meanwhile() {
    let remove: Withdraw = |registry| registry.unregister("mac").unwrap();
    let replace: Withdraw = |registry| {
        registry.unregister("mac").unwrap();
        registry.register(hooked(MAC, "mac", || Ok(())).with_priority(1)).unwrap();
    };
    let demote: Withdraw = |registry| registry.set_priority("mac", 1).unwrap();
    // The driver refuses keys by then, so it fails.
    let retire: Withdraw = |registry| {
        let mac = registry.drivers().into_iter().find(|d| d.driver == "mac").unwrap();
        assert!(matches!(registry.test_extent(&mac, Extent::Long), SelfTest::Failed(_)));
    };
    for (what, withdraw) in [("remove", remove), ("replace", replace), ("demote", demote), ("retire", retire)] {
        let registry = registry();
        let broken = Arc::new(AtomicBool::new(false));
        let is_broken = broken.clone();
        let refuse = move || if is_broken.load(SeqCst) { Err(BadKey("worn out")) } else { Ok(()) };
        registry.register(hooked(MAC, "mac", refuse)).unwrap();
        // `authenc` looks up the MAC first, and then the cipher, whose self-test takes the MAC away.
        let weak = Arc::downgrade(&registry);
        let take_away = once(move || {
            broken.store(what == "retire", SeqCst);
            withdraw(&upgrade(&weak));
        });
        registry.register(hooked("ctr(aes)", "cipher", take_away)).unwrap();
        assert_eq!(registry.find(Type::Hash, MAC).unwrap().driver, "mac");
        for _ in 0..2 {
            let found = registry.aead(BOTH).unwrap().driver().driver.clone();
            assert!(found.ends_with(",cipher)") && !found.contains("(mac,"), "{what}: {found}");
        }
        let kept = registry.drivers();
        let stale: Vec<_> = kept.iter().filter(|d| d.driver.starts_with("authenc(mac,")).collect();
        assert!(stale.is_empty(), "{what}: {stale:?}");
        let named = registry.aead("authenc(mac,cipher)").map(|found| found.driver().priority());
        match what {
            "remove" | "retire" => assert!(named.is_err(), "{what}: {named:?}"),
            _ => assert_eq!(named, Ok(1), "{what}: the priority is that of the MAC now"),
        }
    }
}

#[test]
fn a_lookup_that_drivers_keep_disturbing_ends_with_an_error() {
    let registry = registry();
    let count = Arc::new(AtomicUsize::new(0));
    // The self-test of each driver registers a better one, and takes another away.
    fn next(registry: Weak<Registry>, count: Arc<AtomicUsize>) -> Driver {
        let number = count.fetch_add(1, SeqCst);
        let disturb = once(move || {
            let registry = upgrade(&registry);
            registry.register(next(Arc::downgrade(&registry), count.clone())).unwrap();
            registry.set_priority("ghash-generic", number as u32).unwrap();
        });
        let driver = hooked("ctr(aes)", &format!("disturbing-{number}"), disturb);
        driver.with_priority(10_000 + number as u32)
    }
    registry.register(next(Arc::downgrade(&registry), count.clone())).unwrap();
    assert_eq!(registry.skcipher("ctr(aes)").map(drop), Err(Error::Withdrawn("ctr(aes)".into())));
    assert!((3..100).contains(&count.load(SeqCst)), "{count:?}");
    // It is the name that is disturbed, and no other.
    registry.skcipher("cbc(aes)").unwrap();
}

#[test]
fn threads_never_get_what_was_removed_before_they_asked() {
    let registry = registry();
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !ended.load(SeqCst) {
                    match registry.skcipher("xctr(comes-and-goes)") {
                        Ok(_) | Err(Error::Unknown(_) | Error::Withdrawn(_)) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
        for _ in 0..200 {
            registry.register(hooked("aes", "comes-and-goes", || Ok(()))).unwrap();
            let _ = registry.skcipher("xctr(comes-and-goes)");
            registry.unregister("comes-and-goes").unwrap();
            let found = registry.skcipher("xctr(comes-and-goes)").map(drop);
            assert_eq!(found, Err(Error::Unknown("comes-and-goes".into())));
        }
        ended.store(true, SeqCst);
    });
    assert!(registry.drivers().iter().all(|d| !d.driver.contains("comes-and-goes")));
}

/// Runs `work`, which must not wait forever.
fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("it waits forever, or it panicked")
}

/// Makes threads begin the tests of several drivers at the same time: each driver waits until all are being tested, and then
/// looks up the next one's name.
fn circle_of(names: &'static [&'static str]) -> Vec<SelfTest> {
    let registry = registry();
    let all_begun = Arc::new(Barrier::new(names.len()));
    for (i, name) in names.iter().enumerate() {
        let (weak, all_begun, other) = (Arc::downgrade(&registry), all_begun.clone(), names[(i + 1) % names.len()]);
        let wait = once(move || {
            all_begun.wait();
        });
        let look_up = move || {
            wait()?;
            upgrade(&weak).find_any(other).map(drop).map_err(|_| BadKey("there is no other"))
        };
        registry.register(hooked(name, &format!("circle-{i}"), look_up)).unwrap();
    }
    in_time(move || {
        thread::scope(|scope| {
            let threads: Vec<_> = names.iter().map(|name| scope.spawn(|| registry.find_any(name).map(drop))).collect();
            threads.into_iter().for_each(|found| assert_eq!(found.join().unwrap(), Ok(()), "another driver serves"));
        });
        let drivers = registry.drivers();
        let tested = |i| drivers.iter().find(|d| d.driver == format!("circle-{i}")).unwrap().selftest();
        (0..names.len()).map(tested).collect()
    })
}

#[test]
fn drivers_that_look_each_other_up_do_not_wait_for_each_other() {
    for names in [&["ctr(aes)", "cbc(aes)"][..], &["sha256", "ctr(aes)", "sha512"]] {
        let outcomes = circle_of(names);
        let failed = |outcome: &&SelfTest| matches!(outcome, SelfTest::Failed(why) if why.contains("itself"));
        // A circle has to be cut in one place, and the rest of it is sound.
        assert_eq!(outcomes.iter().filter(failed).count(), 1, "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == SelfTest::Passed).count(), names.len() - 1);
    }
}

#[test]
fn a_thread_waits_for_a_test_that_does_not_wait_for_it() {
    let registry = registry();
    let (begun, go_on) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (its_begun, its_go_on) = (begun.clone(), go_on.clone());
    let slow = once(move || {
        its_begun.wait();
        its_go_on.wait();
    });
    registry.register(hooked("ctr(aes)", "slow", slow)).unwrap();
    let weak = Arc::downgrade(&registry);
    let built_on = move || upgrade(&weak).find_any("ctr(aes)").map(drop).map_err(|_| BadKey("there is none"));
    registry.register(hooked("cbc(aes)", "built-on", built_on)).unwrap();
    in_time(move || {
        thread::scope(|scope| {
            let find = |name: &'static str| {
                let registry = &registry;
                move || registry.transform::<Skcipher>(name).map(|found| found.driver().driver.clone())
            };
            let slow = scope.spawn(find("ctr(aes)"));
            begun.wait();
            let built_on = scope.spawn(find("cbc(aes)"));
            let waits_too = scope.spawn(find("ctr(aes)"));
            thread::sleep(Duration::from_millis(50));
            go_on.wait();
            assert_eq!(slow.join().unwrap().unwrap(), "slow");
            assert_eq!(waits_too.join().unwrap().unwrap(), "slow");
            assert_eq!(built_on.join().unwrap().unwrap(), "built-on");
        });
    });
}
