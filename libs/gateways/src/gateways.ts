import type { Gateway, OutgoingMessage } from './gateway.ts';

/** Messages of one batch, and the gateway that was chosen for them. */
export interface GatewayBatch<Message extends OutgoingMessage> {
  gateway: Gateway<Message>;
  messages: Message[];
}

/** One gateway or more. */
type OpenGateways<Message extends OutgoingMessage> = readonly [Gateway<Message>, ...Gateway<Message>[]];

/** The rule by which each message gets its gateway. */
export interface GatewayChoice<Message extends OutgoingMessage> {
  choose(message: Message, gateways: OpenGateways<Message>): Gateway<Message>;
}

const FIRST: GatewayChoice<OutgoingMessage> = { choose: (_message, [first]) => first };

/** The gateways of one channel that are open in this process. */
export class Gateways<Message extends OutgoingMessage = OutgoingMessage> {
  /**
   * @param choice is asked for each message once there are several gateways; the first one by default
   * @throws Error when two gateways have the same name
   */
  constructor(
    readonly all: OpenGateways<Message>,
    private readonly choice: GatewayChoice<Message> = FIRST,
  ) {
    if (new Set(all.map(({ name }) => name)).size < all.length)
      throw new Error(`two gateways share a name: ${all.map(({ name }) => name).join(', ')}`);
  }

  /** Messages per second that the gateways accept together; null when one of them has no limit. */
  get ratePerSecond(): number | null {
    const rates = this.all.map(({ ratePerSecond }) => ratePerSecond);
    return rates.reduce<number | null>((sum, rate) => (sum === null || rate === null ? null : sum + rate), 0);
  }

  /** Groups the messages of a batch by the gateway chosen for each, keeping their order within a group. */
  group(messages: Message[]): GatewayBatch<Message>[] {
    if (messages.length === 0) return [];
    if (this.all.length === 1) return [{ gateway: this.all[0], messages }];
    const groups = Map.groupBy(messages, (message) => this.choice.choose(message, this.all));
    return Array.from(groups, ([gateway, chosen]) => ({ gateway, messages: chosen }));
  }

  /** Closes every gateway. */
  async close(): Promise<void> {
    await Promise.all(this.all.map((gateway) => gateway.close()));
  }
}
