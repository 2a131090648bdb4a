import type { Socket } from 'node:net';
import { type AttemptEnd } from './backoff.ts';
import type { Clock } from './clock.ts';
import { type Peer, DialError, dial } from './dial.ts';
import type { Answer } from './in-flight.ts';
import type { BindCommand, BindFields } from './pdu.ts';
import { type SessionOptions, SmppSession } from './session.ts';
import { STATUS, describeStatus } from './status.ts';

/** Time for the answer to a bind. */
const BIND_MS = 10_000;

const REFUSALS: ReadonlySet<number> = new Set([
  STATUS.bindFailed,
  STATUS.invalidPassword,
  STATUS.invalidSystemId,
  STATUS.invalidSystemType,
]);

/** Thrown when no session came about; `end` says why. */
export class LoginError extends Error {
  override name = 'LoginError';

  constructor(readonly end: AttemptEnd) {
    super(end.reason);
  }
}

/**
 * Connects and binds one session.
 *
 * @param signal gives the attempt up
 * @throws LoginError
 */
export async function login(
  peer: Peer,
  bind: BindFields & { command: BindCommand },
  options: SessionOptions,
  signal: AbortSignal,
): Promise<SmppSession> {
  const socket = await connect(peer, options.clock, signal);
  const session = new SmppSession(socket, options);
  const giveUp = (): void => session.end('the attempt was given up');
  const cancel = options.clock.after(BIND_MS, () =>
    session.end(
      `the server does not answer the bind within ${BIND_MS / 1000} s: check the port${orPair(bind.command)}`,
    ),
  );
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  const answer = await session.ask(bind);
  cancel();
  signal.removeEventListener('abort', giveUp);
  const end = refusalOf(answer, bind.command);
  if (!end) return session;
  session.end(end.reason);
  throw new LoginError(end);
}

async function connect(peer: Peer, clock: Clock, signal: AbortSignal): Promise<Socket> {
  try {
    return await dial(peer, clock, signal);
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    throw new LoginError({ kind: 'failed', boundMs: 0, reason: error.message });
  }
}

function refusalOf(answer: Answer, command: BindCommand): AttemptEnd | undefined {
  if (answer.result !== 'answered') return { kind: 'failed', boundMs: 0, reason: withAdvice(answer.reason) };
  const { status } = answer;
  const words = describeStatus(status);
  if (status === STATUS.ok) return undefined;
  if (status === STATUS.alreadyBound)
    return {
      kind: 'stale',
      boundMs: 0,
      reason: `the server refuses the bind with ${words}: it still counts an earlier session, or allows fewer binds`,
    };
  if (REFUSALS.has(status))
    return {
      kind: 'refused',
      boundMs: 0,
      reason: `the server refuses the bind with ${words}: check systemId, password, systemType and the number of binds`,
    };
  const advice = status === STATUS.invalidCommand ? `: check the server${orPair(command)}` : '';
  return { kind: 'failed', boundMs: 0, reason: `the server refuses the bind with ${words}${advice}` };
}

/** Some servers close the connection instead of refusing what they dislike. */
function withAdvice(reason: string): string {
  if (/check|set "/.test(reason)) return reason;
  return `${reason} before the bind was answered: check the port, "tls", the credentials, and that the server admits our address`;
}

/** Some SMSCs know no transceivers. */
function orPair(command: BindCommand): string {
  return command === 'bind_transceiver' ? ', or set "bindMode" to "pair" if it has no transceivers' : '';
}
