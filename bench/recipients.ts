/** The recipient of the benches that send to one. The simulator goes by its last four digits, and delivers. */
export const RECIPIENT = '919800001234';

const COUNT = 400_000;
const FIRST = 916000001234;
const STEP = 10_000;
/** Numbers that follow each other are far apart in the order of an index. */
const STRIDE = 7_919;

/** Returns recipient `i` of many, with the last digits of RECIPIENT. */
export const recipientOf = (i: number): string => String(FIRST + ((i * STRIDE) % COUNT) * STEP);

/** The recipient of the row `i` in a statement: the same numbers. */
export const RECIPIENT_OF_ROW = `(${FIRST} + i * ${STRIDE} % ${COUNT} * ${STEP})::text`;
