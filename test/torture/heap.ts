import { once } from 'node:events';

/** Memory that a process keeps after a full garbage collection, in megabytes. */
export interface Kept {
  heap: number;
  /** Memory of buffers. */
  external: number;
}

/** Collects the garbage of a process that runs with `--inspect=127.0.0.1:port`, and measures what it keeps. */
export async function keptMemory(port: number): Promise<Kept> {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target!.webSocketDebuggerUrl);
  await once(socket, 'open');
  try {
    for (let i = 0; i < 2; i += 1) await ask(socket, 'HeapProfiler.collectGarbage');
    const expression = 'JSON.stringify(process.memoryUsage())';
    const { result } = (await ask(socket, 'Runtime.evaluate', { expression })) as {
      result: { value: string };
    };
    const { heapUsed, external } = JSON.parse(result.value) as NodeJS.MemoryUsage;
    return { heap: heapUsed / 2 ** 20, external: external / 2 ** 20 };
  } finally {
    socket.close();
  }
}

/** Calls a method of the inspector, one at a time. */
function ask(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.addEventListener(
    'message',
    ({ data }) => resolve((JSON.parse(String(data)) as { result: unknown }).result),
    { once: true },
  );
  socket.send(JSON.stringify({ id: 1, method, params }));
  return promise;
}
