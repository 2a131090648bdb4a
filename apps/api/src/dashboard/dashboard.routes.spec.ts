import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
const instance = start(folder);
afterAll(async () => {
  await instance.close();
  rmSync(folder, { recursive: true });
});

function start(dist: string): FastifyInstance {
  const started = createAdapter().getInstance() as unknown as FastifyInstance;
  addDashboardRoutes(started, dist);
  return started;
}

test.each([
  '/app',
  '/app/',
  '/app/messages/019e6f0c:1?tab=raw',
  '/app/../app/sign-in',
  '/app/.vite/manifest.json',
])('%s is the page of the dashboard', async (url) => {
  const answer = await instance.inject({ url });

  expect([answer.statusCode, answer.body]).toEqual([200, PAGE]);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
});

test('the policy allows only own scripts and no frame', async () => {
  const { headers } = await instance.inject({ url: '/app' });
  const policy = String(headers['content-security-policy']).split('; ');

  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy.filter((each) => /https?:|\*/.test(each))).toEqual([]);
});

test('the page is validated by its ETag', async () => {
  const { headers } = await instance.inject({ url: '/app' });
  const again = await instance.inject({
    url: '/app/inbox',
    headers: { 'if-none-match': headers.etag as string },
  });

  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('an asset is kept for a year, and sent compressed', async () => {
  const url = '/app/assets/index-abc.js';
  const plain = await instance.inject({ url });
  const small = await instance.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });

  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(small.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': plain.headers['content-type'],
  });
  expect(brotliDecompressSync(small.rawPayload).toString()).toBe(plain.body);
});

test('an asset of an earlier build is not found', async () => {
  const answer = await instance.inject({ url: '/app/assets/index-old.js' });

  expect(answer.statusCode).toBe(404);
  expect(answer.json()).toMatchObject({ error: { code: 'route_not_found' } });
});

test('a build made while the api runs is served from the next request on', async () => {
  const dist = join(folder, 'later');
  const later = start(dist);
  const before = await later.inject({ url: '/app' });

  for (const build of ['first', 'second']) {
    rmSync(dist, { recursive: true, force: true });
    mkdirSync(join(dist, 'assets'), { recursive: true });
    writeFileSync(join(dist, 'index.html'), build);
    writeFileSync(join(dist, `assets/index-${build}.js`), SCRIPT);
    const page = await later.inject({ url: '/app/messages' });
    const script = await later.inject({ url: `/app/assets/index-${build}.js` });
    expect([page.body, script.body]).toEqual([build, SCRIPT]);
  }
  const old = await later.inject({ url: '/app/assets/index-first.js' });
  await later.close();

  expect([before.statusCode, old.statusCode, old.headers['cache-control']]).toEqual([404, 404, 'no-cache']);
});

test.each(['/app/%2e%2e/%2e%2e/package.json', '/app/assets/..%2f..%2fpackage.json', '/app//etc/passwd'])(
  '%s leads to no file outside the dashboard',
  async (url) => {
    const { body } = await instance.inject({ url });
    expect(body).not.toMatch(/"dependencies"|root:/);
  },
);

test('/ leads browsers to the dashboard and leaves other clients their 404', async () => {
  const page = await instance.inject({
    url: '/',
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  });
  const call = await instance.inject({ url: '/', headers: { accept: '*/*' } });

  expect([page.statusCode, page.headers.location]).toEqual([302, '/app']);
  expect([call.statusCode, call.json().error.code]).toEqual([404, 'route_not_found']);
});

test('without a build /app says how to get one', async () => {
  const empty = start(join(folder, 'nothing'));
  const answer = await empty.inject({ url: '/app' });
  await empty.close();

  expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(answer.body).toContain('npm run build');
});
