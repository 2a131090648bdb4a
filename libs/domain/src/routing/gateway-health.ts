/** Outcomes and final reports of a gateway over the last ten minutes. */
export interface GatewayCounts {
  accepted: number;
  /** Refused, or repeated after a fault, for a reason that lies with the gateway, or without an answer. */
  refused: number;
  delivered: number;
  /** Failed for a reason that lies with the gateway or the network. */
  failed: number;
}

export const NO_COUNTS: GatewayCounts = { accepted: 0, refused: 0, delivered: 0, failed: 0 };

/** The condition of a gateway, as routes see it. */
export interface GatewayFitness {
  name: string;
  /** The reason why it takes no messages now, as a predicate such as "is paused"; null when it takes them. */
  unfit: string | null;
  /**
   * The reason why it may not take a message that it gets, as a predicate such as "is connecting"; null when it is
   * up.
   */
  doubt: string | null;
  /** True when it takes one message, which tests whether it has recovered. */
  isOnTrial: boolean;
  /** From 0 to 1. */
  acceptRate: number;
  /** From 0 to 1. */
  reportRate: number;
}

/** The messages that a gateway takes in its state: `one` tests whether it has recovered. */
export type Takes = 'any' | 'one' | 'none';

/** Reads the messages that a gateway takes from its state. One that is not up says it in `takes` of its detail. */
export function takesOf({ status, detail }: { status: string; detail: Record<string, unknown> }): Takes {
  if (status === 'up') return 'any';
  const takes = detail['takes'];
  return takes === 'any' || takes === 'one' ? takes : 'none';
}

/** Leaves out the views of processes that hold no bind and only stand by, where another process holds one. */
export function withoutStandby<View extends { detail: Record<string, unknown> }>(
  views: readonly View[],
): readonly View[] {
  const serving = views.filter(({ detail }) => detail['held'] !== 0);
  return serving.length > 0 ? serving : views;
}

/** Minimum number of outcomes or reports from which a rate is computed. */
const MIN_SAMPLE = 20;

/** A gateway with less takes no more than probes while another one of its route is healthy. */
const HEALTHY_FROM = 0.5;

/** The faults of recipients, texts and senders. They would fail at any gateway. */
const CUSTOMER_FAULTS: ReadonlySet<string> = new Set([
  '001',
  '002',
  '003',
  '005',
  '007',
  '008',
  '009',
  '010',
  '013',
  '014',
  '015',
]);

/** Is true for an error code that counts against the health of the gateway. */
export function isGatewayFault(errCode: string): boolean {
  return !CUSTOMER_FAULTS.has(errCode);
}

/** Returns the rates of counts; 1 where there are too few. */
export function ratesOf({
  accepted,
  refused,
  delivered,
  failed,
}: GatewayCounts): Pick<GatewayFitness, 'acceptRate' | 'reportRate'> {
  return { acceptRate: rate(accepted, refused), reportRate: rate(delivered, failed) };
}

function rate(good: number, bad: number): number {
  return good + bad < MIN_SAMPLE ? 1 : good / (good + bad);
}

/** The health of a gateway from 0 to 1: 0 when it takes nothing, else its accept rate times its report success. */
export function healthOf({ unfit, acceptRate, reportRate }: GatewayFitness): number {
  return unfit === null ? acceptRate * reportRate : 0;
}

/** Is true for a gateway that a route may choose first; also for one that is tested. */
export function isHealthy(fitness: GatewayFitness): boolean {
  return fitness.isOnTrial || healthOf(fitness) >= HEALTHY_FROM;
}
