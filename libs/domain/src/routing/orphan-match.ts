import { type IdCandidate, type IdForm, applyIdForm } from './id-forms.ts';

/** A report whose message is sought. */
interface OrphanKey {
  gatewayMessageId: string;
  /** Null when the report names none. */
  recipient: string | null;
}

/** A known id of a gateway, and its message. */
export interface KnownId {
  gatewayMessageId: string;
  messageId: string;
  recipient: string;
}

/** The message of a report. */
export interface OrphanMatch<Row extends KnownId> {
  row: Row;
  /** Forms that lead from the reported id to the known one; empty when the choice teaches nothing. */
  forms: IdForm[];
}

/** Digits at the end that make a national and an international spelling the same number. */
const SAME_ENDING = 7;

/** Forms that keep every letter and digit: they are tried for a report without a recipient, too. */
const SAFE = /^(exact|lower|upper|unpadded|padded:\d+|undashed|dashed)$/;

/**
 * Finds the message of a report among the rows that its candidates led to. The recipient has to agree; without one only
 * another spelling of the same digits counts. When several messages remain, the id as reported wins, then the rule of
 * the gateway; else none does. Several messages to the recipient under the one id are left to the caller, by any row.
 */
export function matchOrphan<Row extends KnownId>(
  orphan: OrphanKey,
  candidates: readonly IdCandidate[],
  rows: readonly Row[],
  rule: IdForm | undefined,
): OrphanMatch<Row> | undefined {
  const formsOf = new Map(candidates.map(({ id, forms }) => [id, formsFor(orphan, forms, rule)]));
  const fitting = rows.filter(
    ({ gatewayMessageId, recipient }) =>
      (formsOf.get(gatewayMessageId)?.length ?? 0) > 0 && isSameNumber(orphan.recipient, recipient),
  );
  if (new Set(fitting.map(({ messageId }) => messageId)).size === 1)
    return { row: fitting[0]!, forms: formsOf.get(fitting[0]!.gatewayMessageId)! };
  const preferred = [orphan.gatewayMessageId, rule && applyIdForm(rule, orphan.gatewayMessageId)];
  const row = preferred.map((id) => oneOf(fitting, id, orphan)).find((found) => found !== undefined);
  return row && { row, forms: [] };
}

function formsFor({ recipient }: OrphanKey, forms: IdForm[], rule: IdForm | undefined): IdForm[] {
  return recipient === null ? forms.filter((form) => form === rule || SAFE.test(form)) : forms;
}

/** Returns a row of an id, of several messages only when they have the recipient. */
function oneOf<Row extends KnownId>(
  rows: readonly Row[],
  id: string | undefined,
  { recipient }: OrphanKey,
): Row | undefined {
  const own = rows.filter(({ gatewayMessageId }) => gatewayMessageId === id);
  const isOne = new Set(own.map(({ messageId }) => messageId)).size === 1;
  return isOne || recipient !== null ? own[0] : undefined;
}

/** Compares the number of a report, which may be in a national spelling, with that of a message. */
function isSameNumber(reported: string | null, recipient: string): boolean {
  if (reported === null) return true;
  const digits = reported.replaceAll(/\D/g, '');
  return digits === recipient || (digits.length >= SAME_ENDING && endsAlike(digits, recipient));
}

function endsAlike(a: string, b: string): boolean {
  return a.slice(-SAME_ENDING) === b.slice(-SAME_ENDING);
}
