import type { ErrCode } from '@signalbox/domain/err-codes';
import type { ErrorTable } from './error-table.ts';

/** A table by the codes of ours: more than one raw code has the same meaning. */
function byMeaning(meanings: Readonly<Partial<Record<ErrCode, readonly (string | number)[]>>>): ErrorTable {
  return Object.fromEntries(
    Object.entries(meanings).flatMap(([code, raw]) => raw.map((each) => [each, code as ErrCode])),
  );
}

/** Error codes of receipts by origin. A gateway's settings name one of them and override single codes. */
export const ERROR_TABLES = {
  /** Errors of the mobile network in decimal (3GPP TS 29.002), which many SMSCs pass on in `err`. */
  map: byMeaning({
    '001': [6, 27],
    '002': [13, 15],
    '003': [1, 5, 9],
    '005': [12, 32, 40, 41, 42],
    '006': [31, 34, 35, 36],
    '011': [11, 21, 22],
  }),
  twilio: byMeaning({
    '001': ['001'],
    '002': ['009'],
    '003': ['005', '006'],
    '005': ['002', '003', '004', '008'],
    '006': ['011', '012'],
    '010': [21610],
    '011': ['007', '010'],
  }),
  vonage: byMeaning({
    '001': [2, 3, 12],
    '002': [4, 14],
    '003': [9],
    '005': [7],
    '006': [1, 8],
    '008': [6, 10],
    '009': [50, 51, 52, 54],
    '010': [53],
    '011': [5, 11],
    '012': [15, 16],
  }),
  '8x8': byMeaning({
    '001': [1, 46, 47],
    '002': [8, 26],
    '003': [13, 15],
    '004': [36, 51],
    '005': [9, 21, 29],
    '006': [14, 23, 48],
    '007': [19],
    '008': [2, 43],
    '011': [33, 37],
    '012': [42],
  }),
} as const satisfies Readonly<Record<string, ErrorTable>>;

export type ErrorTableName = keyof typeof ERROR_TABLES;
