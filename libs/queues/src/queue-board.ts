import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  AppViewRoute,
  BeforeHookResult,
  BullBoardQueues,
  HookContext,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { maskNumbers } from '@signalbox/domain/msisdn';
import { withTimeout } from '@signalbox/runtime/with-timeout';
import type { JobQueue } from './job-queue.ts';

/** One call of the page of bull-board. */
export interface BoardCall {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** The answer to a call; the body is JSON. */
export interface BoardAnswer {
  status: number;
  body: string;
}

/** A call that the page of bull-board makes. */
export interface BoardRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Path below that of the board, with parameters as `:queueName`. */
  path: string;
  /** Operation id of a write; undefined for a call that reads, and for a write that the board refuses. */
  write: string | undefined;
  answer: (call: BoardCall) => Promise<BoardAnswer>;
}

/** The parts of bull-board, to be served. */
export interface QueueBoard {
  routes: BoardRoute[];
  /** Paths of its page. */
  pages: string[];
  /** Folder of its scripts and styles, which its page loads from `static/`. */
  assets: string;
  /** Returns its page, for a board that is served below `basePath`. */
  page: (basePath: string) => string;
}

/**
 * Writes of the board, by method and path: those that Redis does in bounded time, and that a worker cannot tell from
 * our own. It refuses the others. Jobs hold no facts, so none is written or edited by hand.
 */
const WRITES: Readonly<Record<string, string>> = {
  'PUT /api/queues/:queueName/pause': 'pauseQueue',
  'PUT /api/queues/:queueName/resume': 'resumeQueue',
  'PUT /api/queues/:queueName/promote': 'promoteJobs',
  'PUT /api/queues/:queueName/:jobId/retry': 'retryJob',
  'PUT /api/queues/:queueName/:jobId/clean': 'removeJob',
  'PUT /api/queues/:queueName/:jobId/promote': 'promoteJob',
  'PATCH /api/queues/:queueName/:jobId/delay': 'delayJob',
};

const REFUSAL = 'Use the page Queues of the dashboard: it counts first, and works in batches.';

/** Maximum number of jobs of one answer. */
const MAX_JOBS = 100;

/** An unreachable Redis may leave a command without an answer. */
const TIMEOUT_MS = 5_000;

const UNREACHABLE = { status: 503, body: { error: { key: 'ERRORS.REDIS_UNAVAILABLE' } } } as const;

/**
 * Builds bull-board for queues on Redis. It loads nothing from other origins, and shows numbers in errors masked.
 *
 * @param onFailed gets the errors of calls that could not be answered
 */
export function createQueueBoard(
  queues: readonly JobQueue[],
  onFailed: (error: unknown) => void,
): QueueBoard {
  const folder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));
  const parts = new BoardParts();
  createBullBoard({
    queues: queues.map(({ bullQueue }) => new BullMQAdapter(bullQueue)),
    serverAdapter: parts,
    options: {
      uiBasePath: folder,
      uiConfig: {
        boardTitle: 'Signalbox queues',
        hideDocsLink: true,
        miscLinks: [{ text: 'Dashboard', url: '/app/queues' }],
      },
      handlerHooks: { before: refuseOthers },
    },
  });
  const template = readFileSync(join(folder, 'dist/index.ejs'), 'utf8');
  return {
    routes: parts.routes.flatMap((route) => routesOf(route, parts, onFailed)),
    pages: [parts.entry.route].flat(),
    assets: join(folder, 'dist/static'),
    page: (basePath) => filled(template, parts.entry.handler({ basePath, uiConfig: parts.config }).params),
  };
}

/** Collects the parts that bull-board hands to a server. */
class BoardParts implements IServerAdapter {
  queues: BullBoardQueues = new Map();
  routes: AppControllerRoute[] = [];
  entry!: AppViewRoute;
  config: UIConfig = {};

  setQueues(queues: BullBoardQueues): this {
    this.queues = queues;
    return this;
  }
  setApiRoutes(routes: AppControllerRoute[]): this {
    this.routes = routes;
    return this;
  }
  setEntryRoute(route: AppViewRoute): this {
    this.entry = route;
    return this;
  }
  setUIConfig(config: UIConfig): this {
    this.config = config;
    return this;
  }
  setViewsPath(): this {
    return this;
  }
  setStaticPath(): this {
    return this;
  }
  setErrorHandler(): this {
    return this;
  }
}

function refuseOthers({ method, route }: HookContext): BeforeHookResult {
  if (method === 'get' || WRITES[`${method.toUpperCase()} ${route}`] !== undefined) return { allow: true };
  return { allow: false, status: 405, errorKey: 'ERRORS.FORBIDDEN', message: REFUSAL };
}

function routesOf(
  { method, route, handler }: AppControllerRoute,
  { queues, config }: BoardParts,
  onFailed: (error: unknown) => void,
): BoardRoute[] {
  const answer = async ({ params, query, body }: BoardCall): Promise<BoardAnswer> => {
    const request = {
      queues,
      uiConfig: config,
      params,
      query: bounded(query),
      body: body as object,
      headers: {},
    };
    const work = Promise.resolve(handler(request)).catch((error: unknown) => {
      onFailed(error);
      return UNREACHABLE;
    });
    const answered = await withTimeout(work, TIMEOUT_MS, 'bull-board').catch(() => UNREACHABLE);
    return { status: answered.status ?? 200, body: JSON.stringify(answered.body ?? {}, masked) };
  };
  return [method].flat().flatMap((each) =>
    [route].flat().map((path) => {
      const verb = each.toUpperCase() as BoardRoute['method'];
      return { method: verb, path, write: WRITES[`${verb} ${path}`], answer };
    }),
  );
}

function bounded(query: Record<string, string>): Record<string, string> {
  const { jobsPerPage } = query;
  return Number(jobsPerPage) > MAX_JOBS ? { ...query, jobsPerPage: String(MAX_JOBS) } : query;
}

/** Masks the numbers in the errors of jobs. */
function masked(key: string, value: unknown): unknown {
  if (key === 'failedReason' && typeof value === 'string') return maskNumbers(value);
  if (key === 'stacktrace' && Array.isArray(value)) return value.map((line) => maskNumbers(String(line)));
  return value;
}

/** Fills in the page, and removes what it would load from another origin. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template
    .replaceAll(/<link[^>]+href="https?:[^>]*>/g, '')
    .replaceAll(/<%([-=])\s*(\w+)\s*%>/g, (_, kind: string, name: string) =>
      kind === '-' ? (values[name] ?? '') : escaped(values[name] ?? ''),
    );
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
