import { countParts } from '@signalbox/domain/sms/parts';
import { SegmentedMessage } from 'sms-segments-calculator';
import { type Result, type RunOptions, atLeast, seconds } from './report.ts';

/** Texts as accounts send them: short, long, of two septets a sign, in Devanagari, with emoji. */
const TEXTS = [
  'Your order 48213 has shipped and arrives on Tuesday between 9 and 12. Track it here: https://sgnl.example/s/4Fk29ZxQw0aB',
  'Your code is 483920. It is valid for 5 minutes. Never tell it to anybody, not even to us.',
  `Dear customer, ${'your bill of € 42,50 is due on 1 December. '.repeat(8)}`,
  'नमस्ते, आपका ऑर्डर भेज दिया गया है और मंगलवार को पहुँचेगा।',
  `Sale ends tonight 🎉 ${'Everything must go! '.repeat(6)}`,
];
const BATCH = 1_000;
const TARGET = 300_000;

/**
 * Measures the texts per second whose segments one core counts, and the same for the package that the tests compare
 * with.
 */
export async function benchEncoding(options: RunOptions): Promise<Result[]> {
  const forSeconds = seconds(options, 5);
  perSecond(countAll, 1); // warm-up
  const messagesPerSecond = perSecond(countAll, forSeconds);
  const oraclePerSecond = perSecond(countAllSlowly, forSeconds);
  return [
    {
      name: 'parts of a text',
      numbers: { messagesPerSecond, oraclePerSecond, ratio: messagesPerSecond / oraclePerSecond },
      targets: [atLeast(TARGET, messagesPerSecond, 'encoding: messages per second on one core')],
    },
  ];
}

function countAll(): number {
  return TEXTS.reduce((sum, text) => sum + countParts(text, false).parts, 0);
}

function countAllSlowly(): number {
  return TEXTS.reduce((sum, text) => sum + new SegmentedMessage(text).segmentsCount, 0);
}

function perSecond(countTexts: () => number, forSeconds: number): number {
  const startedAt = performance.now();
  let counted = 0;
  let parts = 0;
  while (performance.now() - startedAt < forSeconds * 1000) {
    for (let i = 0; i < BATCH / TEXTS.length; i += 1) parts += countTexts();
    counted += BATCH;
  }
  if (parts < counted) throw new Error('a text has no parts');
  return counted / ((performance.now() - startedAt) / 1000);
}
