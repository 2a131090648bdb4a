// Sends a one-time password to a number, asks for it, and checks what was typed.
//
//   node examples/node/verify.mjs 919800000100
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Refused, call, requireUsage } from './signalbox.mjs';

const [to] = process.argv.slice(2);
requireUsage(to, 'node verify.mjs <number>');

try {
  const configId = await findOrCreateConfig('example');
  const { data: verifyId } = await call('POST', '/v1/verify', { configId, to }, randomUUID());
  console.log(`A code is on its way to ${to}. Type it:`);
  for await (const line of createInterface({ input: process.stdin }))
    if (await isCorrect(verifyId, line.trim())) break;
  process.stdin.destroy(); // nothing more is read
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Finds the settings of the codes, which are made once. */
async function findOrCreateConfig(name) {
  const { data: configs } = await call('GET', '/v1/verify/configs?limit=200');
  const found = configs.find((config) => config.name === name);
  return found?.id ?? (await call('POST', '/v1/verify/configs', { name, sender: 'SIGNALBX' })).data.id;
}

async function isCorrect(verifyId, otp) {
  try {
    await call('POST', '/v1/verify/validate', { verifyId, otp });
    console.log('Correct.');
    return true;
  } catch (error) {
    if (!(error instanceof Refused) || error.error.code !== 'otp_incorrect') throw error;
    console.log(`Wrong, ${error.error.attemptsRemaining} attempts left. Type it again:`);
    return false;
  }
}
