//! The threads of the stub and their sockets.
//!
//! The first thread accepts connections and hands them out in turn; each serves its own on a
//! runtime of its own.

use std::cell::RefCell;
use std::io::Result;
use std::net::{Ipv4Addr, TcpListener as StdListener, TcpStream as StdStream};
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::replies::{Replies, Samples};
use super::wire::{HEADER_BYTES, Request, length};

/// Room that is made in a connection's buffer before it is read.
const READ_BYTES: usize = 16 << 10;

/// How long a thread may take to say what CPU time it has used.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// The stub's threads; they end when this is dropped.
pub(super) struct Server {
    port: u16,
    threads: Vec<Thread>,
}

struct Thread {
    orders: UnboundedSender<Order>,
    handle: Option<JoinHandle<()>>,
}

enum Order {
    Serve(StdStream),
    CpuTime(mpsc::Sender<f64>),
    End,
}

impl Server {
    /// Listens on a free port of the loopback address.
    ///
    /// # Errors
    /// If there is no port, descriptor or thread left.
    pub(super) fn start(threads: usize, samples: &Samples) -> Result<Self> {
        let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let (all, orders): (Vec<_>, Vec<_>) = (0..threads.max(1))
            .map(|_| unbounded_channel::<Order>())
            .unzip();
        let mut server = Self {
            port,
            threads: Vec::new(),
        };
        let mut listener = Some((listener, all.clone()));
        for (number, (sender, orders)) in all.into_iter().zip(orders).enumerate() {
            let replies = Replies::new(samples.clone(), format!("127.0.0.1:{port}"));
            let accepting = listener.take();
            let work = move || run(accepting, orders, replies);
            let named = std::thread::Builder::new().name(format!("stub-{number}"));
            server.threads.push(Thread {
                orders: sender,
                handle: Some(named.spawn(work)?),
            });
        }
        Ok(server)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// CPU time that each thread has used, in seconds; 0 for one that does not answer.
    pub(super) fn cpu_s(&self) -> Vec<f64> {
        let asked = self.threads.iter().map(|thread| {
            let (sender, answer) = mpsc::channel();
            drop(thread.orders.send(Order::CpuTime(sender)));
            answer
        });
        let asked: Vec<_> = asked.collect();
        let answer = |answer: mpsc::Receiver<f64>| answer.recv_timeout(ANSWER_LIMIT);
        asked
            .into_iter()
            .map(|asked| answer(asked).unwrap_or(0.0))
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for thread in &self.threads {
            drop(thread.orders.send(Order::End));
        }
        for thread in &mut self.threads {
            if let Some(handle) = thread.handle.take() {
                drop(handle.join());
            }
        }
    }
}

type Accepting = Option<(StdListener, Vec<UnboundedSender<Order>>)>;

/// One thread. Without a runtime it ends, and connections to it are refused.
fn run(accepting: Accepting, mut orders: UnboundedReceiver<Order>, replies: Replies) {
    let mut builder = Builder::new_current_thread();
    let Ok(runtime) = builder.enable_all().build_local(LocalOptions::default()) else {
        return;
    };
    runtime.block_on(async {
        let replies = Rc::new(RefCell::new(replies));
        if let Some((listener, threads)) = accepting {
            drop(tokio::task::spawn_local(accept(listener, threads)));
        }
        while let Some(order) = orders.recv().await {
            match order {
                Order::Serve(stream) => {
                    let replies = Rc::clone(&replies);
                    // What is wrong with a connection ends it, as with a server.
                    drop(tokio::task::spawn_local(async move {
                        drop(serve(stream, &replies).await);
                    }));
                }
                Order::CpuTime(answer) => {
                    let time = clock_gettime(ClockId::ThreadCPUTime);
                    let _ = answer.send(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9);
                }
                Order::End => return,
            }
        }
    });
}

/// Hands connections out in turn.
async fn accept(listener: StdListener, threads: Vec<UnboundedSender<Order>>) -> Result<()> {
    let listener = TcpListener::from_std(listener)?;
    for thread in threads.iter().cycle() {
        match listener.accept().await {
            Ok((stream, _)) => drop(thread.send(Order::Serve(stream.into_std()?))),
            // No descriptor is left just now.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
    Ok(())
}

async fn serve(stream: StdStream, replies: &RefCell<Replies>) -> Result<()> {
    let mut stream = TcpStream::from_std(stream)?;
    stream.set_nodelay(true)?;
    let (mut input, mut output) = (Vec::new(), Vec::new());
    loop {
        let mut at = 0;
        let mut missing = READ_BYTES;
        while input.len() - at >= HEADER_BYTES {
            let end = at + length(&input[at..])?;
            let Some(message) = input.get(at..end) else {
                missing = end - input.len();
                break;
            };
            let request = Request::parse(message)?;
            replies.borrow_mut().answer(&request, &mut output)?;
            at = end;
        }
        drop(input.drain(..at));
        if !output.is_empty() {
            stream.write_all(&output).await?;
            output.clear();
        }
        input.reserve(missing.max(READ_BYTES));
        if stream.read_buf(&mut input).await? == 0 {
            return Ok(());
        }
    }
}
