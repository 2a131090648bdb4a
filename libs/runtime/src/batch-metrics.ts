import { Histogram } from 'prom-client';

const rows = new Histogram({
  name: 'signalbox_batch_rows',
  help: 'Rows that one statement, job or submit took together, by kind of batch',
  labelNames: ['batch'],
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
});

/** Returns the function that observes the sizes of one kind of batch. There are few kinds: each is named in code. */
export function batchObserver(batch: string): (size: number) => void {
  const observed = rows.labels(batch);
  return (size) => observed.observe(size);
}
