import 'reflect-metadata';
import { IsIn, IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { ERR_CODES, type ErrCode } from '@signalbox/domain/err-codes';
import { isObject } from '@signalbox/domain/is-object';
import { ERROR_TABLES, type ErrorTableName } from '../../errors/error-tables.ts';
import { isTimeZone } from './receipt-date.ts';
import { compileReceiptPattern } from './receipt-text.ts';

/** Meanings of a `stat`; `IGNORED` changes no state. */
const MEANINGS = ['SENT', 'DELIVERED', 'FAILED', 'EXPIRED', 'IGNORED'] as const;
export type StatMeaning = (typeof MEANINGS)[number];

const MAX_ENTRIES = 500;

/** Entries whose keys are raw codes and whose values are among `values`. */
function IsTable(values: readonly string[]): PropertyDecorator {
  return ValidateBy({
    name: 'isTable',
    validator: {
      validate: (table) => isTable(table, values),
      defaultMessage: (args) =>
        `${args?.property} must be an object of at most ${MAX_ENTRIES} raw codes, each with one of ${values.join(', ')}`,
    },
  });
}

function isTable(table: unknown, values: readonly string[]): boolean {
  if (!isObject(table)) return false;
  const entries = Object.entries(table);
  return (
    entries.length <= MAX_ENTRIES &&
    entries.every(([raw, value]) => raw.length <= 64 && values.some((each) => each === value))
  );
}

/** Checks a pattern of receipts; undefined when it can be used. */
function problemWith(pattern: unknown): string | undefined {
  try {
    compileReceiptPattern(String(pattern));
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return message.startsWith('must')
      ? message
      : `is refused by RE2: ${message}; it has no look-around and no back-reference`;
  }
}

/** Receipts of one SMSC. */
export class ReceiptSettings {
  /** Segments whose reports decide: some SMSCs report the first or the last alone. */
  @IsIn(['all', 'first', 'last'])
  receiptsFrom: 'all' | 'first' | 'last' = 'all';

  /** IANA zone of dates that name none. */
  @ValidateBy({
    name: 'isTimeZone',
    validator: {
      validate: isTimeZone,
      defaultMessage: () => 'timeZone must be an IANA zone, such as Asia/Kolkata',
    },
  })
  timeZone: string = 'UTC';

  /** Finds fields in the text of a receipt, with the named groups id, stat, err and done; ignores case. */
  @IsOptional()
  @IsString()
  @MaxLength(500)
  @ValidateBy({
    name: 'isReceiptPattern',
    validator: {
      validate: (pattern) => problemWith(pattern) === undefined,
      defaultMessage: (args) => `pattern ${problemWith(args?.value)}`,
    },
  })
  pattern?: string;

  /** Source of a field that is both in a TLV and in the text. */
  @IsIn(['tlv', 'text'])
  first: 'tlv' | 'text' = 'tlv';

  /**
   * Address of a receipt that is the recipient's, unless the text names it. SMSCs that copy the addresses of the submit
   * have it in the destination; `ignore` finds messages by their ids alone.
   */
  @IsIn(['source', 'destination', 'ignore'])
  recipient: 'source' | 'destination' | 'ignore' = 'source';

  /** Table that translates `err`. */
  @IsIn(Object.keys(ERROR_TABLES))
  errorTable: ErrorTableName = 'map';

  /** Entries that replace those of the table: our code by the raw one. */
  @IsTable(Object.keys(ERR_CODES))
  errCodes: Record<string, ErrCode> = {};

  /** Meanings of further values of `stat`, or other meanings of known ones. */
  @IsTable(MEANINGS)
  statuses: Record<string, StatMeaning> = {};

  /** Meaning of the state UNKNOWN and of a `stat` without a meaning. */
  @IsIn(['ignore', 'failed'])
  unknown: 'ignore' | 'failed' = 'ignore';
}
