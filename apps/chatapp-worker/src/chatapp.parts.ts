import type { Provider } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { getEntityManagerToken } from '@nestjs/typeorm';
import { countReady } from '@signalbox/database/submissions/ready';
import { CHAT_LANES, type ChatLane } from '@signalbox/domain/lane';
import { ChatAppGateway } from '@signalbox/gateways/chat-app-gateway';
import { ChatSimulatorGateway } from '@signalbox/gateways/simulator/chat-simulator.gateway';
import { CHAT_SIMULATOR_QUEUE, type ChatSimulatorJob } from '@signalbox/queues/chat-simulator-queue';
import { CHATAPP_QUEUE, type ChatappJob } from '@signalbox/queues/chatapp-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { showBacklog } from '@signalbox/runtime/backlog-gauge';
import type { Bell } from '@signalbox/runtime/bell';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import { exposeQueues } from '@signalbox/runtime/queue-metrics';
import { Sealer } from '@signalbox/runtime/seal';
import type { WorkerParts } from '@signalbox/runtime/worker-life';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';
import { CALLBACKS } from './callback.parts.ts';
import { ChatPhoneGateway } from './chat-phone.gateway.ts';
import { ChatappBells } from './chatapp.bells.ts';
import { ChatappDispatcher } from './chatapp.dispatcher.ts';
import { ChatappLanes } from './chatapp.lanes.ts';
import { ChatLaneProcessor, ChatOtpLaneProcessor } from './chatapp.processor.ts';
import { ChatappWriter } from './chatapp.writer.ts';
import type { ChatappWorkerConfig } from './config.ts';
import { MessageRescuer } from './message.rescuer.ts';
import { REPORTS, REPORT_BELL } from './report-bell.ts';
import { SimulatedProviderProcessor } from './simulated-provider.processor.ts';
import { SimulatedProvider } from './simulated.provider.ts';

/** Messages go out within a second of their time. */
const DUE_EVERY_MS = 250;
const LOOK_EVERY_MS = 1_000;
const RESCUE_EVERY_MS = 3_000;
const WATCH_EVERY_MS = 15_000;
const PRODUCERS = Symbol('the producing end of each lane');
const SIMULATED = Symbol('the producing end of what the simulated provider is to do');

type Producers = Record<ChatLane, Queue<ChatappJob>>;

/** What takes messages from accepted to submitted, and the provider that is played where there is none. */
export function sendingProviders(
  config: ChatappWorkerConfig,
  queue: QueueSettings,
  logger: Logger,
): Provider[] {
  const onError = (error: Error): void => logger.warn({ error }, 'queue.unreachable');
  return [
    {
      provide: PRODUCERS,
      useFactory: () => openLanes((lane) => openProducer<ChatappJob>(CHATAPP_QUEUE[lane], queue, onError)),
    },
    {
      provide: SIMULATED,
      useFactory: () => openProducer<ChatSimulatorJob>(CHAT_SIMULATOR_QUEUE, queue, onError),
    },
    {
      provide: SimulatedProvider,
      inject: [getEntityManagerToken(), CallbackIntake, SIMULATED],
      useFactory: (db: EntityManager, intake: CallbackIntake, simulated: Queue<ChatSimulatorJob>) =>
        new SimulatedProvider(db, intake, simulated, config.SIMULATOR_DELAY_MS),
    },
    {
      provide: ChatAppGateway,
      inject: [SimulatedProvider, getEntityManagerToken()],
      useFactory: (provider: SimulatedProvider, db: EntityManager) =>
        withPhones(new ChatSimulatorGateway(provider, config.SIMULATOR_DELAY_MS), db, config),
    },
    {
      provide: ChatappBells,
      inject: [PRODUCERS],
      useFactory: (producers: Producers) => new ChatappBells(producers, logger),
    },
    {
      provide: ChatappLanes,
      inject: [getEntityManagerToken(), ChatAppGateway, REPORT_BELL, ChatappBells],
      useFactory: (db: EntityManager, gateway: ChatAppGateway, reports: Bell, bells: ChatappBells) => {
        const writer = new ChatappWriter(db, new Sealer(...config.secretKeys));
        return new ChatappLanes(db, new ChatappDispatcher(db, gateway, reports, bells, writer), logger);
      },
    },
    ChatOtpLaneProcessor,
    ChatLaneProcessor,
    SimulatedProviderProcessor,
  ];
}

/** Their part in the worker's life. Lanes feed the gateway, which feeds the callbacks' intake and the report bell: those close later. */
export function sendingWork(ref: ModuleRef, logger: Logger): Omit<WorkerParts, 'needs'> {
  const db = ref.get<EntityManager>(getEntityManagerToken(), { strict: false });
  const [lanes, bells, gateway] = [ref.get(ChatappLanes), ref.get(ChatappBells), ref.get(ChatAppGateway)];
  const simulated: Queue<ChatSimulatorJob> = ref.get(SIMULATED);
  exposeQueues([simulated]);
  const rescuer = new MessageRescuer(db, [ref.get(REPORTS), ref.get(CALLBACKS)], bells, gateway, logger);
  return {
    processors: [
      ref.get(ChatOtpLaneProcessor),
      ref.get(ChatLaneProcessor),
      ref.get(SimulatedProviderProcessor),
    ],
    repeated: [
      { name: 'make due messages ready', everyMs: DUE_EVERY_MS, work: () => lanes.readyDue() },
      { name: 'look for waiting messages', everyMs: LOOK_EVERY_MS, work: () => lanes.lookForWaiting() },
      { name: 'rescue messages', everyMs: RESCUE_EVERY_MS, work: () => rescuer.rescue() },
      {
        name: 'watch the backlog',
        everyMs: WATCH_EVERY_MS,
        work: async () => showBacklog(await countReady(db, 'chatapp')),
      },
    ],
    closeInOrder: [lanes, gateway, bells, { close: () => closeProducer(simulated) }],
  };
}

async function openLanes(open: (lane: ChatLane) => Promise<Queue<ChatappJob>>): Promise<Producers> {
  const producers = Object.fromEntries(
    await Promise.all(CHAT_LANES.map(async (lane) => [lane, await open(lane)])),
  ) as Producers;
  exposeQueues(Object.values(producers));
  return producers;
}

function withPhones(gateway: ChatAppGateway, db: EntityManager, config: ChatappWorkerConfig): ChatAppGateway {
  return config.SIMULATOR_INBOX
    ? new ChatPhoneGateway(gateway, db, new Sealer(...config.secretKeys))
    : gateway;
}
