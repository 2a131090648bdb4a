import {
  Gateway,
  type GatewayState,
  type MessageAddress,
  type OutgoingMessage,
} from '@signalbox/gateways/gateway';

/** A gateway that is up, reports nothing, and ignores questions. A test adds `submit`, and replaces what it is about. */
export abstract class FakeGateway<Message extends OutgoingMessage> extends Gateway<Message> {
  readonly name: string = 'fake';

  async query(_messages: MessageAddress[]): Promise<MessageAddress[]> {
    return [];
  }

  onReports(_receive: unknown): void {}
  onInbound(_receive: unknown): void {}

  state(): GatewayState {
    return { status: 'up', reason: 'It is a fake.', since: new Date(0), detail: {} };
  }

  async close(): Promise<void> {}
}
