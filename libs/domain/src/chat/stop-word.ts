const WORDS: Readonly<Record<string, 'stop' | 'start'>> = { stop: 'stop', start: 'start' };

/** Recognizes STOP and START in any case, with or without a full stop; undefined for other texts. */
export function parseStopWord(text: string): 'stop' | 'start' | undefined {
  const word = text.trim().replace(/\.$/, '').toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}
