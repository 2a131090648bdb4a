import { Button, TextInput } from '@mantine/core';
import { discardParked, freeParked } from '@signalbox/client';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { type ReactNode, useState } from 'react';
import { type ClientResult, answerOf } from '../../api/answer.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { counted } from '../../parts/counted.ts';
import { useSteps } from '../../parts/use-steps.tsx';
import type { ParkedKind } from './operations-search.ts';
import { KINDS } from './words.ts';

/** Rows of one call. */
const STEP = 500;

interface ActionsProps {
  kind: ParkedKind;
  /** Chosen rows; none for all of the kind. */
  ids: string[];
  /** Rows of the kind, at most COUNTED_ROWS. */
  total: number;
  onDone: () => void;
}

/** Frees or discards the chosen rows, or all of the kind. */
export function ParkedActions({ kind, ids, total, onDone }: ActionsProps): ReactNode {
  const [reason, setReason] = useState('');
  const begin = useSteps();
  const count = ids.length > 0 ? ids.length : total;
  const noun = KINDS[kind][0];
  // the rest of more rows takes another act
  const all = total < COUNTED_ROWS ? 'all' : 'the oldest';
  const rows = `${ids.length > 0 || total === 1 ? '' : `${all} `}${counted(count, noun)}`;
  const act = (label: string, call: (part: PartOfRows) => ClientResult<{ data: { rows: number } }>) => {
    void begin({
      label: `${label} ${noun}s`,
      total: count,
      changes: ['parked'],
      step: stepOf(ids, call),
    });
    onDone();
  };
  const free = () => act('Freeing', (part) => freeParked({ body: { kind, ...part } }));
  if (count === 0) return null;
  return (
    <>
      <ConfirmButton
        question={`Discard ${rows}?`}
        consequence="They end permanently. A message fails with errCode 902, and its report is pushed. This cannot be undone."
        hasInput={reason !== ''}
        isReady={reason.trim() !== ''}
        fields={
          <TextInput
            label="Reason"
            required
            maxLength={200}
            value={reason}
            onChange={(e) => setReason(e.target.value)}
          />
        }
        onClose={() => setReason('')}
        onConfirm={() => act('Discarding', (part) => discardParked({ body: { kind, reason, ...part } }))}
      >
        {`Discard ${rows}`}
      </ConfirmButton>
      {ids.length > 0 ? (
        <Button onClick={free}>{`Free ${rows}`}</Button>
      ) : (
        <ConfirmButton
          color="blue"
          question={`Free ${rows}?`}
          consequence="Workers start them again within seconds. Rows that fail ten more times come back."
          onConfirm={free}
        >
          {`Free ${rows}`}
        </ConfirmButton>
      )}
    </>
  );
}

/** The rows of one call: some by id, or the next of those that match. */
type PartOfRows = { ids: string[] } | { limit: number };

/** Acts on the next chosen rows, or on the next of all. */
function stepOf(
  ids: readonly string[],
  call: (part: PartOfRows) => ClientResult<{ data: { rows: number } }>,
): () => Promise<number | undefined> {
  let at = 0;
  return async () => {
    if (ids.length === 0) return (await answerOf(call({ limit: STEP }))).data.rows || undefined;
    const part = ids.slice(at, at + STEP);
    if (part.length === 0) return undefined;
    at += STEP;
    return (await answerOf(call({ ids: part }))).data.rows;
  };
}
