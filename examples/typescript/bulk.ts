// Sends one SMS to every number of a file, a number on each line, and prints the progress for up to a minute.
// Run again within 48 hours it sends nothing twice: the idempotency key of a call is the hash of its body.
//
//   node examples/typescript/bulk.ts numbers.txt "The shop opens at nine."
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { getSms, sendSms } from '@signalbox/client';
import { client, requireUsage, run, untilAnswered } from './signalbox.ts';

const NUMBERS_PER_CALL = 1_000;
const FOLLOWED_SECONDS = 60;

const [file = '', text = ''] = process.argv.slice(2);
requireUsage(file !== '' && text !== '', 'node bulk.ts <file of numbers> <text>');

run(async () => {
  const numbers = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
  if (numbers.length === 0) throw new Error(`${file} has no numbers.`);
  for (let from = 0; from < numbers.length; from += NUMBERS_PER_CALL)
    await send(numbers.slice(from, from + NUMBERS_PER_CALL));
});

async function send(to: string[]): Promise<void> {
  const body = { sender: 'SIGNALBX', to, text, type: 'TRANS' as const, campaignName: 'example' };
  const headers = { 'Idempotency-Key': createHash('sha256').update(JSON.stringify(body)).digest('hex') };
  const { id, totalCount } = await untilAnswered(() => sendSms({ client, headers, body }));
  if (id === null) return; // a dry run
  console.log(`${id} ${totalCount} accepted`);
  await followUntilEnded(id);
}

async function followUntilEnded(submissionId: string): Promise<void> {
  for (let second = 0; second < FOLLOWED_SECONDS; second += 1) {
    const { data } = await untilAnswered(() => getSms({ client, path: { submissionId } }));
    const counts = Object.entries(data.statuses).map(([status, count]) => `${status} ${count}`);
    console.log(`${submissionId} ${counts.join(', ')}`);
    if (data.statuses.Pending + data.statuses.Sent === 0) return;
    await wait(1_000);
  }
}
