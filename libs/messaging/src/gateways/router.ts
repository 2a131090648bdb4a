import { Injectable } from '@nestjs/common';
import type { WorkerView } from '@signalbox/database/gateways/gateways';
import type { NamedCounts } from '@signalbox/database/gateways/health';
import { type GatewayFitness, type Takes, takesOf } from '@signalbox/domain/routing/gateway-health';
import type { Fitnesses } from '@signalbox/domain/routing/route-choice';
import { type RouteChoice, chooseRoute, isEverRouted } from '@signalbox/domain/routing/route-choice';
import { type RoutedMessage, isInHours } from '@signalbox/domain/routing/route-match';
import { DEFAULT_ROUTE_POLICY, type Route, type RoutePolicy } from '@signalbox/domain/routing/route';
import { routedType } from '@signalbox/domain/routing/routed-type';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { fitnessesOf } from './fitness.ts';
import { Gateways } from './gateways.ts';
import { Trials } from './trials.ts';

/** A message, and the gateways that may take it. */
export interface RoutedSubmit<Message extends OutgoingMessage = OutgoingMessage> {
  message: Message;
  /** In the order in which they are tried; empty while the message waits. */
  candidates: readonly string[];
  /** Index of the candidate that is tried next. */
  next: number;
  policy: RoutePolicy;
  /** Explains the choice in one sentence. */
  reason: string;
  /** True when there are routes and none of them takes such a message at any time of day. */
  isUnroutable: boolean;
}

/**
 * The way that the messages of a channel can take now: to gateways that take them in this worker, only to those of
 * another one, only to one that is tested with single messages, or nowhere.
 */
export type Outlet = 'here' | 'elsewhere' | 'test' | 'nowhere';

/** The routes, and the gateways that take messages: messages that wait may be taken when either changes. */
export interface Openings {
  routes: readonly Route[];
  /** The routes whose hours it is. */
  inHours: ReadonlySet<Route>;
  /**
   * The messages that each gateway takes in this worker, or any that it takes in another one, by name. Those that take
   * none are left out.
   */
  taking: ReadonlyMap<string, Takes>;
  /**
   * The gateways that took any messages each time that some began to wait, since the openings were read before;
   * undefined if none began to wait.
   */
  steady: ReadonlySet<string> | undefined;
}

/** Chooses the gateways of messages by the routes, and by the state of the gateways in all workers. */
@Injectable()
export class Router<Message extends OutgoingMessage = OutgoingMessage> {
  private routes: readonly Route[] = [];
  private others: readonly WorkerView[] = [];
  private counts: readonly NamedCounts[] = [];
  private readonly trials = new Trials();
  private steady: ReadonlySet<string> | undefined;

  constructor(private readonly gateways: Gateways<Message>) {}

  /** Replaces the routes. They are in the order in which they are tried. */
  followRoutes(routes: readonly Route[]): void {
    this.routes = routes;
  }

  /** Replaces the views of the other workers. */
  followOthers(views: readonly WorkerView[]): void {
    this.others = views;
  }

  /** Replaces the counts of the last ten minutes. */
  followCounts(counts: readonly NamedCounts[]): void {
    this.counts = counts;
  }

  /**
   * Names of the gateways that take messages here and are down in another worker, which may release some to this one.
   */
  get downElsewhere(): string[] {
    const down = new Set(this.others.flatMap(({ name, status }) => (status === 'up' ? [] : [name])));
    return this.gateways.rows
      .filter(({ row, state }) => !row.paused && down.has(row.name) && takesOf(state()) !== 'none')
      .map(({ row }) => row.name);
  }

  /** This worker's part of the rate of a gateway. Workers in which it takes nothing, for lack of a bind, have none. */
  shareOf(name: string, rate: number): number {
    return rate / (1 + this.others.filter((view) => view.name === name && takesOf(view) !== 'none').length);
  }

  /** This worker's part of the rates of the gateways that take messages here; undefined when none does. */
  get shareOfRates(): number | undefined {
    const taking = this.gateways.rows.filter(({ row, state }) => !row.paused && takesOf(state()) !== 'none');
    if (taking.length === 0) return undefined;
    return taking.reduce((sum, { row }) => sum + this.shareOf(row.name, row.ratePerSecond ?? 0), 0);
  }

  /** Notes that messages begin to wait: a gateway may be closed for a moment only, and open when openings are read. */
  noteWaiting(): void {
    const open = this.taking().flatMap(([name, takes]) => (takes === 'any' ? [name] : []));
    this.steady = new Set(open.filter((name) => this.steady?.has(name) !== false));
  }

  /** Reads the routes, and the gateways that take messages now. */
  readOpenings(): Openings {
    const at = new Date();
    const { routes, steady } = this;
    this.steady = undefined;
    return {
      routes,
      inHours: new Set(routes.filter(({ match }) => isInHours(match, at))),
      taking: new Map(this.taking().filter(([, takes]) => takes !== 'none')),
      steady,
    };
  }

  /** The messages that each gateway takes here, or any that it takes in another worker. */
  private taking(): [name: string, takes: Takes][] {
    const { hasRows, rows, defaultGateway } = this.gateways;
    if (!hasRows) return [[defaultGateway.name, 'any']];
    const elsewhere = new Set(this.others.flatMap((view) => (takesOf(view) === 'any' ? [view.name] : [])));
    return rows
      .filter(({ row }) => !row.paused)
      .map(({ row, state }) => [row.name, elsewhere.has(row.name) ? 'any' : takesOf(state())]);
  }

  /** The way that messages of the channel can take now, whatever their route. */
  get outlet(): Outlet {
    if (!this.gateways.hasRows) return 'here';
    const unpaused = this.gateways.rows.filter(({ row }) => !row.paused);
    const names = new Set(unpaused.map(({ row }) => row.name));
    const here = new Set(unpaused.map(({ state }) => takesOf(state())));
    const elsewhere = new Set(this.others.flatMap((view) => (names.has(view.name) ? takesOf(view) : [])));
    if (here.has('any')) return 'here';
    if (here.has('one')) return elsewhere.has('any') ? 'here' : 'test';
    return elsewhere.has('any') || elsewhere.has('one') ? 'elsewhere' : 'nowhere';
  }

  /** Chooses the gateways of a batch. A gateway that is tested gets one message of it. */
  route(messages: readonly Message[]): RoutedSubmit<Message>[] {
    const gateways = this.fitnesses();
    this.trials.follow(gateways.values());
    const at = new Date();
    let shared: RoutedSubmit<Message> | undefined;
    return messages.map((message) => {
      if (message.via !== undefined) return endTrial(routeVia(message, message.via, gateways), gateways);
      if (shared) return { ...shared, message };
      const routed = this.routeOne(message, gateways, at);
      const isTest = gateways.get(routed.candidates[0] ?? '')?.isOnTrial === true;
      // Without routes no message differs from the others.
      if (this.routes.length === 0 && !isTest) shared = routed;
      return endTrial(routed, gateways);
    });
  }

  private routeOne(message: Message, gateways: Fitnesses, at: Date): RoutedSubmit<Message> {
    const facts = { ...message, type: typeOf(message) };
    const { route, candidates, isProbe } = this.choose(facts, gateways, at);
    const reason = reasonOf(route, isProbe);
    const policy = { ...DEFAULT_ROUTE_POLICY, ...route?.policy };
    const isUnroutable = route === undefined && !isEverRouted(this.routes, facts);
    return { message, candidates, next: 0, policy, reason, isUnroutable };
  }

  /** A code tests a gateway only where no other one takes it, and no other message came for the test. */
  private choose(facts: RoutedMessage, gateways: Fitnesses, at: Date): RouteChoice {
    if (facts.type !== 'OTP') return chooseRoute(this.routes, facts, gateways, at);
    const safe = chooseRoute(this.routes, facts, this.trials.withoutTrials(gateways), at);
    if (safe.candidates.length > 0) return safe;
    return chooseRoute(this.routes, facts, this.trials.withoutRecentTrials(gateways), at);
  }

  private fitnesses(): Map<string, GatewayFitness> {
    const { rows } = this.gateways;
    const mine = rows.map(({ row, state }) => ({ name: row.name, ...state() }));
    return fitnessesOf(
      rows.map(({ row }) => row),
      [...mine, ...this.others],
      this.counts,
    );
  }
}

function reasonOf(route: Route | null | undefined, isProbe: boolean): string {
  if (!route) return 'It is the first gateway by name, and there are no routes.';
  const name = route.name ?? route.id;
  return isProbe ? `Route ${name} tests whether it has recovered.` : `Route ${name} chose it.`;
}

/** Lets no other message of the batch test the gateway that this one tests. */
function endTrial<Routed extends RoutedSubmit>(
  routed: Routed,
  gateways: Map<string, GatewayFitness>,
): Routed {
  const first = gateways.get(routed.candidates[0] ?? '');
  if (first?.isOnTrial === true)
    gateways.set(first.name, { ...first, isOnTrial: false, unfit: 'is tested with another message.' });
  return routed;
}

/** A message that names its gateway goes nowhere else. */
function routeVia<Message extends OutgoingMessage>(
  message: Message,
  via: string,
  gateways: Fitnesses,
): RoutedSubmit<Message> {
  const candidates = gateways.get(via)?.unfit === null ? [via] : [];
  return {
    message,
    candidates,
    next: 0,
    policy: DEFAULT_ROUTE_POLICY,
    reason: 'The message names it.',
    isUnroutable: false,
  };
}

function typeOf({ type, template }: Partial<OutgoingSms & OutgoingChatMessage>) {
  return routedType(type, template?.category);
}
