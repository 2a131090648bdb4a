import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { listPacedAccounts } from '@signalbox/database/accounts/accounts';
import { SMS_LANES } from '@signalbox/domain/lane';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { Gateway } from '@signalbox/gateways/gateway';
import type { GatewayKind } from '@signalbox/gateways/gateway-kind';
import { finalReport, smsScript } from '@signalbox/gateways/simulator/script';
import { SimulatorGateway } from '@signalbox/gateways/simulator/simulator.gateway';
import type { OutgoingSms, SmsGateway } from '@signalbox/gateways/sms-gateway';
import { callbackProviders } from '@signalbox/messaging/callbacks/callback-reading';
import { Channel } from '@signalbox/messaging/lanes/channel';
import { Gateways } from '@signalbox/messaging/gateways/gateways';
import { CLOSES_FIRST, DEFAULT_GATEWAY, gatewayProviders } from '@signalbox/messaging/gateways/providers';
import { GatewaysRate } from '@signalbox/messaging/gateways/gateways-rate';
import { InboundIntake } from '@signalbox/messaging/reports/inbound-intake';
import { laneProcessor } from '@signalbox/messaging/lanes/lane-processor';
import { PhoneGateway } from '@signalbox/messaging/gateways/phone-gateway';
import { ReportIntake } from '@signalbox/messaging/reports/report-intake';
import { SmsChannel } from '@signalbox/messaging/sms/channel';
import { Pace } from '@signalbox/messaging/sms/pace';
import { QuietHours } from '@signalbox/messaging/sms/quiet-hours';
import { SmsRenderer } from '@signalbox/messaging/sms/renderer';
import { whileAway } from '@signalbox/messaging/worker/while-away';
import { WorkerModule } from '@signalbox/messaging/worker/worker.module';
import { CALLBACK_QUEUE, REPORT_QUEUES, SMS_QUEUES } from '@signalbox/queues/definitions';
import { Fleet } from '@signalbox/runtime/fleet';
import { Logger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { SmsWorkerConfig } from './config.ts';
import { smsDuties } from './duties.ts';

const CONCURRENCY = 16;

/** Submits SMS, and stores the reports of their gateways. `gatewayProviders` describes the way of a message. */
@Module({})
export class SmsWorkerModule {
  /**
   * @param gateway used instead of the simulator
   * @param kinds used instead of the registry's
   */
  static with(
    config: SmsWorkerConfig,
    logger: Logger,
    gateway?: SmsGateway,
    kinds?: readonly GatewayKind[],
  ): DynamicModule {
    const worker = WorkerModule.with({
      name: 'sms-worker',
      config,
      logger,
      commits: ['asynchronous', 'durable'],
      fleet: 'sms',
      consumes: [SMS_QUEUES.TRANS, SMS_QUEUES.OTP, SMS_QUEUES.PROMO, CALLBACK_QUEUE],
      produces: Object.values(REPORT_QUEUES),
      duties: smsDuties(config),
      closeInOrder: [...CLOSES_FIRST, InboundIntake, ReportIntake],
    });
    return {
      module: SmsWorkerModule,
      imports: [worker],
      providers: [
        {
          provide: DEFAULT_GATEWAY,
          inject: [EntityManager, Sealer],
          useFactory: (db: EntityManager, sealer: Sealer) =>
            defaultGateway(config, db, sealer, gateway ?? simulator(config), logger),
        },
        ...gatewayProviders({ channel: 'sms', publicUrl: config.PUBLIC_URL, kinds }),
        {
          provide: QuietHours,
          inject: [EntityManager],
          useFactory: (db: EntityManager) => QuietHours.open(db, config.QUIET_HOURS),
        },
        {
          provide: SmsRenderer,
          inject: [EntityManager],
          useFactory: (db: EntityManager) =>
            new SmsRenderer(db, config.secretKeys, config.SHORT_LINK_DAYS, logger),
        },
        paceProvider(),
        { provide: Channel, useClass: SmsChannel },
        InboundIntake,
        ...callbackProviders(),
        ...SMS_LANES.map((lane) => laneProcessor(lane, CONCURRENCY)),
      ],
    };
  }
}

/** Learns the limits of accounts before the first job, so that nothing of a paused account is sent. */
function paceProvider(): Provider {
  return {
    provide: Pace,
    inject: [EntityManager, Fleet, Gateways, GatewaysRate, Logger],
    useFactory: async (
      db: EntityManager,
      fleet: Fleet,
      gateways: Gateways,
      rate: GatewaysRate,
      logger: Logger,
    ): Promise<Pace> => {
      const pace = new Pace(fleet, gateways, rate);
      pace.limitAccounts(await whileAway(() => listPacedAccounts(db), { logger }));
      return pace;
    },
  };
}

function simulator(config: SmsWorkerConfig): SmsGateway {
  return new SimulatorGateway({
    delayMs: config.SIMULATOR_DELAY_MS,
    ratePerSecond: config.SIMULATOR_RATE_PER_SECOND || null,
  });
}

function defaultGateway(
  config: SmsWorkerConfig,
  db: EntityManager,
  sealer: Sealer,
  gateway: SmsGateway,
  logger: Logger,
): Gateway<OutgoingSms> {
  return config.SIMULATOR_INBOX ? new PhoneGateway(gateway, db, sealer, displayed, logger) : gateway;
}

/** Returns the text of an SMS that arrives, reported or not. */
function displayed({ recipient, text }: OutgoingSms, { result }: SubmitOutcome): string | undefined {
  const isSubmitted = result === 'accepted' || result === 'unconfirmed';
  return isSubmitted && finalReport(smsScript(recipient))?.status !== 'FAILED' ? text : undefined;
}
