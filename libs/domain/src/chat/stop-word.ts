const WORDS: Readonly<Record<string, 'stop' | 'start'>> = { stop: 'stop', start: 'start' };

/** What a recipient wants who writes just STOP or START, in any case, with a full stop or without; undefined for any other text. */
export function readStopWord(text: string): 'stop' | 'start' | undefined {
  const word = text.trim().replace(/\.$/, '').toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
}
