import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { GatewayRow, WorkerView } from '@signalbox/database/gateways/gateways';
import { DEFAULT_ROUTE_POLICY, type Route } from '@signalbox/domain/routing/route';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { GatewayState } from '@signalbox/gateways/gateway';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { Fleet } from '@signalbox/runtime/fleet';
import { createLogger } from '@signalbox/runtime/logger';
import { Sealer } from '@signalbox/runtime/seal';
import { FakeGateway } from '@signalbox/test/fake-gateway';
import { newGateway, openRows } from '@signalbox/test/rows';
import { ClaimLeases } from '../src/lanes/claim-leases.ts';
import { Admission } from '../src/gateways/admission.ts';
import { Gateways } from '../src/gateways/gateways.ts';
import { GatewaysRate } from '../src/gateways/gateways-rate.ts';
import { OutcomeCounts } from '../src/gateways/outcome-counts.ts';
import { RoutedSubmitter } from '../src/lanes/routed-submitter.ts';
import { Router } from '../src/gateways/router.ts';
import { Dispatcher } from '../src/lanes/dispatcher.ts';
import { Lanes } from '../src/lanes/lanes.ts';
import { ReportIntake } from '../src/reports/report-intake.ts';
import { Submitter } from '../src/lanes/submitter.ts';
import { SmsChannel } from '../src/sms/channel.ts';
import { Pace } from '../src/sms/pace.ts';
import { QuietHours } from '../src/sms/quiet-hours.ts';
import { SmsRenderer } from '../src/sms/renderer.ts';
import { recordingQueues } from './recording-queues.ts';

type WithoutId<T> = T extends unknown ? Omit<T, 'messageId'> : never;
/** The outcome that a fake gateway gives every message. */
export type Answer = WithoutId<SubmitOutcome>;

export const ACCEPTED: Answer = { result: 'accepted', gatewayMessageIds: [] };

/** The state of the gateway `fake` in another worker. */
export const UP_ELSEWHERE: WorkerView = {
  name: 'fake',
  status: 'up',
  reason: '',
  since: new Date(),
  detail: {},
  gatewayId: '',
  workerId: '',
  seenAt: new Date(),
};

/** Gives every message the same outcome, and records the messages. */
export class FakeSmsGateway extends FakeGateway<OutgoingSms> {
  readonly submitted: OutgoingSms[] = [];
  fails = false;
  /** Delays outcomes until it resolves. */
  busy: Promise<void> | undefined;
  status: GatewayState['status'] = 'up';
  keepsRate = false;
  detail: GatewayState['detail'] = {};

  constructor(
    private readonly answer: Answer | ((message: OutgoingSms) => Answer),
    override readonly name = 'fake',
  ) {
    super();
  }

  async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    if (this.fails) throw new Error('the gateway is unreachable');
    this.submitted.push(...messages);
    await this.busy;
    const { answer } = this;
    return messages.map((message) => ({
      messageId: message.messageId,
      ...(typeof answer === 'function' ? answer(message) : answer),
    }));
  }

  override get pacesItself(): boolean {
    return this.keepsRate;
  }

  override state(): GatewayState {
    return { ...super.state(), status: this.status, detail: this.detail };
  }
}

/** A route to gateways of equal weight. */
export function routeTo(targets: readonly string[], given: Partial<Route> = {}): Route {
  return {
    id: randomUUIDv7(),
    priority: 1,
    match: {},
    targets: targets.map((gateway) => ({ gateway, weight: 1, cost: null })),
    fallbacks: [],
    policy: DEFAULT_ROUTE_POLICY,
    ...given,
  };
}

/**
 * Opens the SMS channel on a separate database: `await using t = await openSms()`.
 *
 * @param others gateways of rows, which routes decide between; without any, one that gives `answer` serves
 */
export async function openSms(
  answer: Answer | ((message: OutgoingSms) => Answer) = ACCEPTED,
  ...others: FakeSmsGateway[]
) {
  const rows = await openRows();
  const { db } = rows;
  const secret = randomBytes(32).toString('base64');
  const lines: { event: string; lane: string }[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line)) });
  const gateway = new FakeSmsGateway(answer);
  const all = [gateway, ...others];
  const open = ({ name }: GatewayRow) => ({ gateway: all.find((each) => each.name === name)! });
  const gateways = new Gateways<OutgoingSms>(gateway, open, logger);
  const router = new Router<OutgoingSms>(gateways);
  if (others.length > 0) gateways.follow([newGateway('fake'), ...others.map(({ name }) => newGateway(name))]);
  const counts = new OutcomeCounts();
  const { queues, jobs, idsOf } = recordingQueues();
  const intake = new ReportIntake(db, queues, gateways, counts, logger);
  const fleet = new Fleet({ beat: async (id) => [id], leave: async () => undefined });
  const admission = new Admission(router, gateways);
  const pace = new Pace(fleet, gateways, new GatewaysRate(fleet, gateways, router, admission));
  const renderer = new SmsRenderer(db, [secret], 90, logger);
  const clock = { now: () => performance.now() };
  const throttle = new AccountThrottle(() => clock.now());
  const channel = new SmsChannel(db, pace, await QuietHours.open(db, 'none'), renderer, throttle);
  const leases = new ClaimLeases(db, logger);
  const submitter = new Submitter(channel, intake, leases, counts, logger);
  const routed = new RoutedSubmitter(db, gateways, router, submitter, admission);
  const dispatcher = new Dispatcher(db, channel, queues, routed, logger);
  return {
    ...rows,
    gateway,
    gateways,
    router,
    counts,
    channel,
    jobs,
    idsOf,
    lines,
    sealer: new Sealer(secret),
    intake,
    pace,
    throttle,
    /** The clock of `throttle`, in milliseconds. */
    clock,
    leases,
    submitter,
    dispatcher,
    /** Dispatches, and waits for every gateway: a round leaves a slow one behind. */
    dispatch: async (...args: Parameters<typeof dispatcher.dispatch>) => {
      await dispatcher.dispatch(...args);
      await dispatcher.idle();
    },
    /** Submits again, and waits for every gateway. */
    retry: async (...args: Parameters<typeof dispatcher.retry>) => {
      await dispatcher.retry(...args);
      await dispatcher.idle();
    },
    lanes: new Lanes(db, channel, dispatcher, throttle, logger),
    statuses: async () =>
      (await db.query('SELECT status FROM message ORDER BY n')).map((row: { status: string }) => row.status),
  };
}
