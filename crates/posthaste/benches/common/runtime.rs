//! The program's runtime: the thread that blocks on it runs the engine, the others what it starts; together one for each core.

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let others = std::thread::available_parallelism().map_or(1, |cores| cores.get() - 1).max(1);
    tokio::runtime::Builder::new_multi_thread().worker_threads(others).enable_all().build().expect("a runtime")
}
