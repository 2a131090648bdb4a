import { randomUUIDv7 } from 'node:crypto';
import { dataSourceOptions } from '@signalbox/database/core/data-source';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayHost } from '@signalbox/gateways/gateway-host';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import { SmppSettings } from '@signalbox/gateways/smpp/smpp-settings';
import { SmppGateway } from '@signalbox/gateways/smpp/smpp.gateway';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { openGatewayIds } from '@signalbox/messaging/gateways/open-gateway-ids';
import { createLogger } from '@signalbox/runtime/logger';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { DataSource } from 'typeorm';
import { type Result, type RunOptions, atLeast, seconds } from './report.ts';
import { startSideProcess } from './side-process.ts';
import { benchSmppPipeline } from './smpp-pipeline.ts';
import { benchSmppWorker } from './smpp-worker.ts';
import { openStage } from './stage.ts';

const BATCH = 500;
const CONCURRENT = 2;
const TARGET = 5_000;
const LIMITS = { deadlineMs: 30_000, signal: new AbortController().signal };

/** Measures one SMPP bind with the map of ids: in this process, in the sms-worker, and in the whole pipeline. */
export async function benchSmpp(options: RunOptions): Promise<Result[]> {
  return [
    ...(await benchGateway(options)),
    ...(await benchSmppWorker(options)),
    ...(await benchSmppPipeline(options)),
  ];
}

/** Submits through one bind, and then through the simulator, in this process. */
async function benchGateway(options: RunOptions): Promise<Result[]> {
  await using stage = await openStage({ apps: ['api'], profile: false });
  await using smsc = await startSideProcess('smsc-process.ts');
  const source = await new DataSource(
    dataSourceOptions({
      url: stage.stack.databaseUrl,
      applicationName: 'bench',
      poolSize: 4,
      commit: 'durable',
    }),
  ).initialize();
  const ids = openGatewayIds(source.manager, createLogger('bench', 'warn'));
  const gateway = openSmpp(await smsc.ask<number>('port'), ids);
  await waitFor(() => gateway.state().status === 'up', { timeoutMs: 20_000, otherwise: 'no bind' });
  const simulator = new SimulatorGateway({ delayMs: 0 });
  simulator.onReports(() => Promise.resolve());
  const smpp = await measure('SMPP, one bind, window 100', gateway, options);
  const beside = await measure('the simulator', simulator, options);
  await gateway.close();
  await ids.close();
  await source.destroy();
  smpp.targets = [
    atLeast(TARGET, smpp.numbers['messagesPerSecond']!, 'smpp: messages per second on one bind'),
  ];
  return [smpp, beside];
}

async function measure(name: string, gateway: Gateway<OutgoingSms>, options: RunOptions): Promise<Result> {
  await submitFor(gateway, seconds(options, 3)); // warm-up
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const accepted = await submitFor(gateway, seconds(options, 10));
  const elapsed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    name: `smpp, ${name}`,
    numbers: { messagesPerSecond: accepted / elapsed, cpuMicrosPerMessage: (user + system) / accepted },
  };
}

/** Keeps some batches in flight, as the lanes of a worker do. @returns the accepted messages */
async function submitFor(gateway: Gateway<OutgoingSms>, forSeconds: number): Promise<number> {
  const endsAt = performance.now() + forSeconds * 1000;
  let accepted = 0;
  const run = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const outcomes = await gateway.submit(newBatch(), LIMITS);
      accepted += outcomes.filter(({ result }) => result === 'accepted').length;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, run));
  return accepted;
}

function newBatch(): OutgoingSms[] {
  const id = randomUUIDv7();
  return Array.from({ length: BATCH }, (_, i) => ({
    messageId: `${id}:${i + 1}`,
    accountId: id,
    sender: 'SIGNAL',
    recipient: `9198000${10_000 + i}`,
    attempt: 1,
    type: 'TRANS' as const,
    text: 'Your order 12345 has been shipped and arrives tomorrow.',
    encoding: 'GSM-7' as const,
    segments: 1,
    messageClass: null,
    dlt: null,
    expiresAt: null,
  }));
}

function openSmpp(port: number, ids: GatewayHost['ids']): SmppGateway {
  const ignore = (): void => undefined;
  const host: GatewayHost = {
    ids,
    logger: { info: ignore, warn: ignore, error: ignore },
    segments: { add: async () => undefined, end: async () => undefined },
    orphans: { keep: async () => undefined },
    slots: {
      acquire: async () => ({
        index: 0,
        lost: new AbortController().signal,
        inUse: () => 1,
        release: async () => undefined,
      }),
    },
    share: () => 1,
  };
  const settings = Object.assign(new SmppSettings(), {
    host: '127.0.0.1',
    port,
    systemId: 'bench',
    window: 100,
  });
  const row = {
    name: 'bench',
    channel: 'sms' as const,
    settings,
    secrets: {},
    ratePerSecond: null,
    callbackUrl: null,
  };
  return new SmppGateway(row, host);
}
