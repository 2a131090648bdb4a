/** The consequence of the status of a submit_sm_resp. */
export type StatusOutcome =
  | { result: 'accepted' }
  /** The gateway limits the rate: the pace is reduced. */
  | { result: 'throttled' }
  /** A fault of the gateway that may pass: tried twice more, then refused with 006. */
  | { result: 'faulty' }
  /** The bind is in the wrong state: the session binds again. */
  | { result: 'unbound' }
  | { result: 'rejected'; errCode: string; tryOther: boolean; isOurFault: boolean };

/** A rule of one gateway for one status, over the table. */
export interface StatusRule {
  /** In hexadecimal: `0x0403`. */
  status: string;
  outcome: 'throttled' | 'faulty' | 'rejected';
  /** Of a refusal; 099 by default. */
  errCode?: string | undefined;
  /** Another gateway may take a message that this one refuses so; false by default. */
  tryOther?: boolean | undefined;
}

const THROTTLED: StatusOutcome = { result: 'throttled' };
const FAULTY: StatusOutcome = { result: 'faulty' };
const UNBOUND: StatusOutcome = { result: 'unbound' };
const BAD_SOURCE = rejected('007', { tryOther: true });
const BAD_DESTINATION = rejected('003');
const BAD_REQUEST = rejected('013', { isOurFault: true });
const REFUSED = rejected('002');
const UNKNOWN = rejected('099');

/** The status table (SMPP 3.4, section 5.1.3), as real servers use it. */
const OUTCOMES: ReadonlyMap<number, StatusOutcome> = new Map<number, StatusOutcome>([
  [0x00, { result: 'accepted' }],
  ...each([0x14, 0x58], THROTTLED),
  ...each([0x08, 0x45, 0x64, 0xff], FAULTY),
  ...each([0x04, 0x05, 0x0d, 0x0e, 0x0f, 0x53], UNBOUND),
  ...each([0x0a, 0x48, 0x49], BAD_SOURCE),
  ...each([0x0b, 0x50, 0x51], BAD_DESTINATION),
  ...each([0x01, 0x02, 0x03, 0x06, 0x07, 0x15, 0x43, 0x61, 0x62, 0x104], BAD_REQUEST),
  ...each([0x65, 0x66, 0xfe, 0x100, 0x101, 0x102, 0x103], REFUSED),
]);

/** Statuses that blame an optional parameter; with DLT parameters they mean a registration that does not fit. */
const OPTIONAL_PARAMETER = { from: 0xc0, to: 0xc4, withDlt: rejected('009') };

/** Looks statuses up in the table and in a gateway's own rules, which come first. */
export class StatusTable {
  private readonly own: ReadonlyMap<number, StatusOutcome>;

  constructor(rules: readonly StatusRule[]) {
    this.own = new Map(rules.map((rule) => [Number(rule.status), outcomeOf(rule)]));
  }

  /** @param hasDlt the message carried the parameters of India's DLT */
  find(status: number, hasDlt: boolean): StatusOutcome {
    const own = this.own.get(status) ?? OUTCOMES.get(status);
    if (own) return own;
    const { from, to, withDlt } = OPTIONAL_PARAMETER;
    if (status < from || status > to) return UNKNOWN;
    return hasDlt ? withDlt : BAD_REQUEST;
  }
}

function outcomeOf({ outcome, errCode = '099', tryOther = false }: StatusRule): StatusOutcome {
  return outcome === 'rejected' ? rejected(errCode, { tryOther }) : { result: outcome };
}

function rejected(
  errCode: string,
  { tryOther = false, isOurFault = false }: { tryOther?: boolean; isOurFault?: boolean } = {},
): StatusOutcome {
  return { result: 'rejected', errCode, tryOther, isOurFault };
}

function each(statuses: number[], outcome: StatusOutcome): [number, StatusOutcome][] {
  return statuses.map((status) => [status, outcome]);
}
