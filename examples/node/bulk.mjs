// Sends one SMS to every number of a file, a number on each line, and prints the progress for up to a minute.
// Run again within 48 hours it sends nothing twice: the idempotency key of a call is the hash of its body.
//
//   node examples/node/bulk.mjs numbers.txt "The shop opens at nine."
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { call, requireUsage } from './signalbox.mjs';

const NUMBERS_PER_CALL = 1_000;
const FOLLOWED_SECONDS = 60;

const [file, text] = process.argv.slice(2);
requireUsage(file && text, 'node bulk.mjs <file of numbers> <text>');

try {
  const numbers = readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
  if (numbers.length === 0) throw new Error(`${file} has no numbers.`);
  for (let from = 0; from < numbers.length; from += NUMBERS_PER_CALL) {
    const to = numbers.slice(from, from + NUMBERS_PER_CALL);
    const body = { sender: 'SIGNALBX', to, text, type: 'TRANS', campaignName: 'example' };
    const key = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    const { id, totalCount } = await call('POST', '/v1/sms', body, key);
    console.log(`${id} ${totalCount} accepted`);
    await followUntilEnded(id);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

async function followUntilEnded(id) {
  for (let second = 0; second < FOLLOWED_SECONDS; second += 1) {
    const { statuses } = (await call('GET', `/v1/sms/${id}`)).data;
    console.log(
      `${id} ${Object.entries(statuses)
        .map((each) => each.join(' '))
        .join(', ')}`,
    );
    if (statuses.Pending + statuses.Sent === 0) return;
    await wait(1_000);
  }
}
