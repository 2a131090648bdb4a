import { type DynamicModule, Module } from '@nestjs/common';
import { CHAT_LANES } from '@signalbox/domain/lane';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { ImageFetcher } from '@signalbox/gateways/image-fetcher';
import { MediaStore } from '@signalbox/gateways/media/media-store';
import { openMediaStore } from '@signalbox/gateways/media/open-media-store';
import { isShown } from '@signalbox/gateways/simulator/chat-script';
import { ChatSimulatorGateway } from '@signalbox/gateways/simulator/chat-simulator.gateway';
import { CallbackIntake, callbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import { callbackProviders } from '@signalbox/messaging/callbacks/callback-reading';
import { Channel } from '@signalbox/messaging/lanes/channel';
import { ChatChannel } from '@signalbox/messaging/chatapp/channel';
import { ChatRenderer } from '@signalbox/messaging/chatapp/renderer';
import { CLOSES_FIRST, DEFAULT_GATEWAY, gatewayProviders } from '@signalbox/messaging/gateways/providers';
import { laneProcessor } from '@signalbox/messaging/lanes/lane-processor';
import { PhoneGateway } from '@signalbox/messaging/gateways/phone-gateway';
import { ReportIntake } from '@signalbox/messaging/reports/report-intake';
import { rowsProcessor } from '@signalbox/messaging/worker/rows-processor';
import { DURABLE, WorkerModule } from '@signalbox/messaging/worker/worker.module';
import {
  CALLBACK_QUEUE,
  CHAT_QUEUES,
  CHAT_SIMULATOR_QUEUE,
  REPORT_QUEUES,
  TEMPLATE_REVIEW_QUEUE,
} from '@signalbox/queues/definitions';
import type { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { ChatappWorkerConfig } from './config.ts';
import { chatDuties } from './duties.ts';
import { ProviderAccounts } from './provider-templates/provider-accounts.ts';
import { providerTemplates } from './provider-templates/providers.ts';
import { SimulatedProviderProcessor } from './simulated-provider.processor.ts';
import { SimulatedProvider } from './simulated.provider.ts';
import { TemplateReviewer } from './template.reviewer.ts';

/** Jobs of each lane that a process runs at the same time. */
const CONCURRENCY = 8;

/** Submits chat-app messages, reads the callbacks of every gateway, and reviews templates. */
@Module({})
export class ChatappWorkerModule {
  /** @param kinds used instead of the registry's */
  static with(config: ChatappWorkerConfig, logger: Logger, kinds?: readonly GatewayKind[]): DynamicModule {
    const worker = WorkerModule.with({
      name: 'chatapp-worker',
      config,
      logger,
      commits: ['asynchronous', 'durable'],
      fleet: 'chatapp',
      consumes: [TEMPLATE_REVIEW_QUEUE, ...Object.values(CHAT_QUEUES), CALLBACK_QUEUE, CHAT_SIMULATOR_QUEUE],
      produces: Object.values(REPORT_QUEUES),
      duties: chatDuties(config.TEMPLATE_REVIEW),
      // The provider accounts wait for the images that are being fetched for them.
      closeInOrder: [ImageFetcher, ProviderAccounts, ...CLOSES_FIRST, CallbackIntake, ReportIntake],
    });
    return {
      module: ChatappWorkerModule,
      imports: [worker],
      providers: [
        {
          provide: DEFAULT_GATEWAY,
          inject: [SimulatedProvider, EntityManager, Sealer],
          useFactory: (provider: SimulatedProvider, db: EntityManager, sealer: Sealer) =>
            defaultGateway(config, provider, db, sealer, logger),
        },
        callbackIntake({ database: DURABLE }),
        {
          provide: MediaStore,
          useFactory: () => openMediaStore({ folder: config.MEDIA_DIR, s3Url: config.MEDIA_S3_URL }),
        },
        ChatRenderer,
        { provide: Channel, useClass: ChatChannel },
        ...gatewayProviders({ channel: 'chatapp', publicUrl: config.PUBLIC_URL, kinds }),
        ...CHAT_LANES.map((lane) => laneProcessor(lane, CONCURRENCY)),
        ...callbackProviders(),
        SimulatedProvider,
        SimulatedProviderProcessor,
        TemplateReviewer,
        // a second run of a job finds its templates decided
        rowsProcessor(TEMPLATE_REVIEW_QUEUE, TemplateReviewer, {
          table: 'template',
          concurrency: 4,
          countedAs: 'templates',
          run: (reviewer, ids) => reviewer.review(ids),
        }),
        ...providerTemplates(config),
      ],
    };
  }
}

function defaultGateway(
  { SIMULATOR_DELAY_MS, SIMULATOR_INBOX }: ChatappWorkerConfig,
  provider: SimulatedProvider,
  db: EntityManager,
  sealer: Sealer,
  logger: Logger,
): Gateway<OutgoingChatMessage> {
  const simulator = new ChatSimulatorGateway(provider, SIMULATOR_DELAY_MS);
  return SIMULATOR_INBOX ? new PhoneGateway(simulator, db, sealer, displayed, logger) : simulator;
}

/** Returns the content of a message that arrives, reported or not. */
function displayed({ recipient, content }: OutgoingChatMessage, outcome: SubmitOutcome): string | undefined {
  return outcome.result !== 'throttled' && isShown(recipient) ? JSON.stringify(content) : undefined;
}
