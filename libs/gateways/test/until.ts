import { setTimeout as delay } from 'node:timers/promises';

/** Waits until a condition holds. @throws Error after 20 s */
export async function until(holds: () => unknown): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`still false after 20 s: ${holds}`);
    await delay(2);
  }
}
