import { type IncomingMessage, get } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { newApiKey } from '@signalbox/domain/api-key';
import { answerCommands } from '../../bench/side-process.ts';
import { startHostilePeers } from '../faults/hostile-peers.ts';
import { startReceiver } from '../support/receiver.ts';

/** The account that a hostile client calls with. */
export interface HostileLogin {
  apiUrl: string;
  apiKey: string;
}

/** Answers by kind of call and status, such as `bulk 429`. */
export type HostileAnswers = Record<string, number>;

const BULK = 5_000;
const READERS = 20;
/** Connections that each peer is ready for. */
const CROWD = 256;
/** Empty boxes of an uploaded video. */
const BOXES = 50_000;

const sms = { sender: 'SIGNALBX', text: 'Hello', type: 'TRANS' };
const opened = new AsyncDisposableStack();
const stopping = new AbortController();
const answers: HostileAnswers = {};
const work: Promise<void>[] = [];
let login: HostileLogin = { apiUrl: '', apiKey: '' };
/** Built before the calls begin: the client shares the machine with the product. */
const dryRun = JSON.stringify({ ...sms, to: listNumbers(0) });
const oversized = JSON.stringify({ text: 'x'.repeat(200_000) });
const video = buildVideo();

setPriority(constants.priority.PRIORITY_LOW); // a client would run on another machine
answerCommands({ prepare, begin, end });

/** Adds a webhook for each endpoint that hangs or breaks the rules of its protocol. */
async function prepare(given: HostileLogin): Promise<void> {
  login = given;
  const hanging = opened.use(await startReceiver(() => undefined));
  const peers = await startHostilePeers(CROWD);
  for (const peer of peers) opened.use(peer);
  for (const [i, url] of [hanging.url, hanging.url, ...peers.map((peer) => peer.url)].entries()) {
    const webhook = { name: `w${i}`, endPoint: url, maxInFlight: 256 };
    await post('webhook', '/v1/webhooks', JSON.stringify(webhook));
  }
  await warmUp();
}

/** Makes a call of each kind but a bulk, so that the api has compiled their code when the measurement begins. */
async function warmUp(): Promise<void> {
  await post('warm-up', '/v1/sms?dryRun=true', dryRun);
  await post('warm-up', '/v1/opt-outs', JSON.stringify({ recipients: ['919811999999'] }));
  await preview('warm-up', -1);
  await post('warm-up', '/v1/sms', oversized, newApiKey('live'));
  await upload();
  const headers = { apikey: login.apiKey, accept: 'text/csv' };
  await (await fetch(`${login.apiUrl}/v1/messages`, { headers })).text();
}

/** Starts every kind of call that costs the others, each at its own pace. */
function begin(): void {
  repeat(2_000, (i) => post('bulk', '/v1/sms', JSON.stringify({ ...sms, to: listNumbers(i * BULK) })));
  repeat(500, () => post('dry run', '/v1/sms?dryRun=true', dryRun));
  for (let reader = 0; reader < READERS; reader += 1) repeat(5_000, readSlowly);
  for (const recipients of [listNumbers(0).slice(0, 200), listNumbers(0).slice(0, 200).toReversed()])
    repeat(200, () => post('opt-outs', '/v1/opt-outs', JSON.stringify({ recipients })));
  repeat(200, (i) => preview('preview', i));
  repeat(100, () => post('made-up key', '/v1/sms', oversized, newApiKey('live')));
  repeat(300, upload);
}

/** Ends the calls, and returns their answers. */
async function end(): Promise<HostileAnswers> {
  stopping.abort();
  await Promise.all(work);
  await opened.disposeAsync();
  return answers;
}

function listNumbers(from: number): string[] {
  return Array.from({ length: BULK }, (_, i) => String(919_811_000_000 + from + i));
}

function buildVideo(): Blob {
  const head = Buffer.from('000000106674797069736f6d0000000069736f6d', 'hex');
  const box = Buffer.from([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]);
  return new Blob([head, Buffer.alloc(BOXES * box.length, box)], { type: 'video/mp4' });
}

function repeat(everyMs: number, act: (index: number) => Promise<void>): void {
  const { signal } = stopping;
  const loop = async (): Promise<void> => {
    for (let i = 0; !signal.aborted; i += 1) {
      await act(i).catch(() => count('broken call', 0));
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  };
  work.push(loop());
}

async function post(kind: string, path: string, body: string, apiKey = login.apiKey): Promise<void> {
  const headers = { apikey: apiKey, 'content-type': 'application/json' };
  const answer = await fetch(login.apiUrl + path, { method: 'POST', headers, body });
  await answer.body?.cancel();
  count(kind, answer.status);
}

function preview(kind: string, index: number): Promise<void> {
  const webhook = { endPoint: `https://silent-${index}.invalid/`, channel: 'sms' };
  return post(kind, '/v1/webhooks/preview', JSON.stringify(webhook));
}

async function upload(): Promise<void> {
  const body = new FormData();
  body.set('file', video, 'a.mp4');
  const url = `${login.apiUrl}/v1/chatapp/generateHeaderHandle`;
  const answer = await fetch(url, { method: 'POST', headers: { apikey: login.apiKey }, body });
  await answer.body?.cancel();
  count('upload', answer.status);
}

/** Opens an export and reads a piece of it per second, for ten seconds. */
function readSlowly(): Promise<void> {
  const headers = { apikey: login.apiKey, accept: 'text/csv' };
  return new Promise((resolve) => {
    const call = get(`${login.apiUrl}/v1/messages`, { headers, agent: false }, (answer: IncomingMessage) => {
      count('export', answer.statusCode ?? 0);
      answer.pause();
      const timer = setInterval(() => answer.read(1_024), 1_000);
      answer.on('close', () => clearInterval(timer));
      setTimeout(() => call.destroy(), 10_000);
    });
    call.on('error', () => undefined);
    call.on('close', resolve);
    stopping.signal.addEventListener('abort', () => call.destroy(), { once: true });
  });
}

function count(kind: string, status: number): void {
  const name = `${kind} ${status}`;
  answers[name] = (answers[name] ?? 0) + 1;
}
