// Sends a one-time password to a number, asks for it, and checks what was typed.
//
//   node examples/typescript/verify.ts 919800000100
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { SignalboxError, createVerifyConfig, listVerifyConfigs } from '@signalbox/client';
import { sendCode, validateCode } from '@signalbox/client';
import { client, requireUsage, run, untilAnswered } from './signalbox.ts';

const [to = ''] = process.argv.slice(2);
requireUsage(to !== '', 'node verify.ts <number>');

run(async () => {
  const configId = await findOrCreateConfig('example');
  const headers = { 'Idempotency-Key': randomUUID() };
  const { data: verifyId } = await untilAnswered(() => sendCode({ client, headers, body: { configId, to } }));
  console.log(`A code is on its way to ${to}. Type it:`);
  for await (const line of createInterface({ input: process.stdin }))
    if (await isCorrect(verifyId, line.trim())) break;
  process.stdin.destroy(); // nothing more is read
});

/** Finds the settings of the codes, which are made once. */
async function findOrCreateConfig(name: string): Promise<string> {
  const { data } = await untilAnswered(() => listVerifyConfigs({ client, query: { limit: 200 } }));
  const found = data.find((config) => config.name === name);
  if (found) return found.id;
  const body = { name, sender: 'SIGNALBX' };
  return (await untilAnswered(() => createVerifyConfig({ client, body }))).data.id;
}

async function isCorrect(verifyId: string, otp: string): Promise<boolean> {
  try {
    await untilAnswered(() => validateCode({ client, body: { verifyId, otp } }));
    console.log('Correct.');
    return true;
  } catch (error) {
    if (!(error instanceof SignalboxError) || error.error.code !== 'otp_incorrect') throw error;
    console.log(`Wrong, ${error.error.attemptsRemaining} attempts left. Type it again:`);
    return false;
  }
}
