import { parseLogLine } from './log-line.ts';

/** Settings by the dependencies that a log line may name. */
const SETTINGS: Readonly<Record<string, string>> = { database: 'DATABASE_URL', queue: 'QUEUE_URL' };
const FILE = 'Correct the setting that names this path.';
const ADVICE_BY_CODE: Readonly<Record<string, string>> = { ENOENT: FILE, EACCES: FILE };
const UNKNOWN = 'Look at its lines above.';
/** Begins the text of a configuration with problems, which follow one per line. */
const SETTINGS_PROBLEM = /not usable:$/;

interface Event {
  level?: string;
  dependency?: string;
  detail?: string;
  error?: { message?: string; code?: string; advice?: string };
}

/**
 * Returns as one line the reason of an app that did not start, and what to do. The reason is its last error, else the
 * text that it printed before it ended, else its last warning.
 *
 * @param lines the last lines of the app; undefined is returned where no line has a reason
 */
export function explainStartFailure(lines: readonly string[]): string | undefined {
  const events = lines.flatMap((line) => (parseLogLine(line) as Event | undefined) ?? []);
  const last = (wanted: string) => events.findLast(({ level, error }) => level === wanted && error);
  const text = last('error') ? undefined : plainReason(lines.filter((line) => !parseLogLine(line)));
  const event = last('error') ?? last('warn');
  return text ?? (event && reasonOf(event));
}

function reasonOf({ error = {}, dependency = '' }: Event): string {
  const setting = SETTINGS[dependency];
  const server = setting && `Check ${setting}, and that its server runs.`;
  const advice = error.advice ?? server ?? ADVICE_BY_CODE[error.code ?? ''] ?? UNKNOWN;
  return `${sentence(error.message ?? 'no reason was given')} ${advice}`;
}

/** Reason in the lines that are no events: the problems of the configuration, or the error that ended Node. */
function plainReason(lines: string[]): string | undefined {
  const head = lines.findIndex((line) => SETTINGS_PROBLEM.test(line));
  const problems = lines.slice(head + 1).map((line) => line.replace(/^\s*- /, ''));
  if (head !== -1) return `${sentence(problems.join('; '))} Correct it in the environment, and start again.`;
  const error = lines.findLast((line) => /^\w*Error\b.*: /.test(line));
  return error && `${sentence(error)} ${UNKNOWN}`;
}

function sentence(text: string): string {
  return `${text.replaceAll(/\s*\n\s*/g, ' ').replace(/\.$/, '')}.`;
}
