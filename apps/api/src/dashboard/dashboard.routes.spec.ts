import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, brotliCompressSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { createAdapter } from '../http/adapter.ts';
import { addDashboardRoutes } from './dashboard.routes.ts';

const PAGE = '<!doctype html><title>Signalbox</title>';
const SCRIPT = 'console.log("a script that is long enough to be worth its compression")';
const folder = mkdtempSync(join(tmpdir(), 'signalbox-dashboard-'));
mkdirSync(join(folder, 'assets'));
mkdirSync(join(folder, '.vite'));
writeFileSync(join(folder, 'index.html'), PAGE);
writeFileSync(join(folder, 'icon.svg'), '<svg/>');
writeFileSync(join(folder, '.vite/manifest.json'), '{}');
writeFileSync(join(folder, 'assets/index-abc.js'), SCRIPT);
writeFileSync(join(folder, 'assets/index-abc.js.br'), brotliCompressSync(SCRIPT));
const instance = await start(folder);
afterAll(async () => {
  await instance.close();
  rmSync(folder, { recursive: true });
});

async function start(dist: string): Promise<FastifyInstance> {
  const started = createAdapter().getInstance() as unknown as FastifyInstance;
  addDashboardRoutes(started, dist);
  await started.listen({ port: 0, host: '127.0.0.1' });
  return started;
}

/** Requests a path as it is written: `fetch` would resolve its dots. */
async function request(path: string, headers: IncomingHttpHeaders = {}, { server } = instance) {
  const { port } = server.address() as AddressInfo;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, headers, agent: false }, resolve).once('error', reject);
  });
  const bytes = await buffer(answer);
  return { statusCode: answer.statusCode, headers: answer.headers, bytes, body: bytes.toString() };
}

test.each([
  '/app',
  '/app/',
  '/app/messages/019e6f0c:1?tab=raw',
  '/app/../app/sign-in',
  '/app/.vite/manifest.json',
])('%s is the page of the dashboard', async (url) => {
  const answer = await request(url);

  expect([answer.statusCode, answer.body]).toEqual([200, PAGE]);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
});

test('the policy allows only own scripts and no frame', async () => {
  const { headers } = await request('/app');
  const policy = String(headers['content-security-policy']).split('; ');

  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy.filter((each) => /https?:|\*/.test(each))).toEqual([]);
});

test('the page is validated by its ETag', async () => {
  const { headers } = await request('/app');
  const again = await request('/app/inbox', { 'if-none-match': headers.etag });

  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('an asset is kept for a year, and sent compressed', async () => {
  const url = '/app/assets/index-abc.js';
  const plain = await request(url);
  const small = await request(url, { 'accept-encoding': 'gzip, br' });

  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(small.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': plain.headers['content-type'],
  });
  expect(brotliDecompressSync(small.bytes).toString()).toBe(plain.body);
});

test('an asset of an earlier build is not found', async () => {
  const answer = await request('/app/assets/index-old.js');

  expect(answer.statusCode).toBe(404);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'route_not_found' } });
});

test('a build made while the api runs is served from the next request on', async () => {
  const dist = join(folder, 'later');
  const later = await start(dist);
  const before = await request('/app', {}, later);

  for (const build of ['first', 'second']) {
    rmSync(dist, { recursive: true, force: true });
    mkdirSync(join(dist, 'assets'), { recursive: true });
    writeFileSync(join(dist, 'index.html'), build);
    writeFileSync(join(dist, `assets/index-${build}.js`), SCRIPT);
    const page = await request('/app/messages', {}, later);
    const script = await request(`/app/assets/index-${build}.js`, {}, later);
    expect([page.body, script.body]).toEqual([build, SCRIPT]);
  }
  const old = await request('/app/assets/index-first.js', {}, later);
  await later.close();

  expect([before.statusCode, old.statusCode, old.headers['cache-control']]).toEqual([404, 404, 'no-cache']);
});

test.each(['/app/%2e%2e/%2e%2e/package.json', '/app/assets/..%2f..%2fpackage.json', '/app//etc/passwd'])(
  '%s leads to no file outside the dashboard',
  async (url) => {
    const { body } = await request(url);
    expect(body).not.toMatch(/"dependencies"|root:/);
  },
);

test('/ leads browsers to the dashboard and leaves other clients their 404', async () => {
  const page = await request('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  const call = await request('/', { accept: '*/*' });

  expect([page.statusCode, page.headers.location]).toEqual([302, '/app']);
  expect([call.statusCode, JSON.parse(call.body).error.code]).toEqual([404, 'route_not_found']);
});

test('without a build /app says how to get one', async () => {
  const empty = await start(join(folder, 'nothing'));
  const answer = await request('/app', {}, empty);
  await empty.close();

  expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(answer.body).toContain('npm run build');
});
