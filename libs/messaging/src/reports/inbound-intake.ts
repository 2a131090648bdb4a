import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isRefusedValue } from '@signalbox/database/core/refused-value';
import type { NewInboundSms } from '@signalbox/database/gateways/inbound-sms';
import type { GatewayInbound } from '@signalbox/gateways/callback-format';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { bisect } from '@signalbox/runtime/bisect';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { storeInboundSms, toInboundSms } from '../sms/inbound.ts';
import { DURABLE } from '../worker/worker.module.ts';

const LIMITS = { maxBatch: 500, maxWaiting: 50_000 };

/**
 * Stores SMS that recipients write to gateways that hold a connection. A message is on disk before its gateway
 * gets the acknowledgement. Messages that arrive meanwhile share the next statement.
 */
@Injectable()
export class InboundIntake {
  private readonly commit: GroupCommit<NewInboundSms[], undefined>;

  constructor(
    @InjectEntityManager(DURABLE) private readonly durable: EntityManager,
    private readonly queues: Queues,
    private readonly logger: Logger,
  ) {
    const store = async (batches: NewInboundSms[][]): Promise<undefined[]> => {
      await this.storeAll(batches.flat());
      return batches.map(() => undefined);
    };
    const weigh = (messages: NewInboundSms[]): number => messages.length;
    this.commit = new GroupCommit(store, { ...LIMITS, weigh });
  }

  /**
   * Stores messages, and enqueues their events. A message that came before is not stored again.
   *
   * @throws OverloadedError or the error of the database; the gateway repeats the messages later
   */
  async receive(gateway: string, messages: readonly GatewayInbound[]): Promise<void> {
    if (messages.length === 0) return;
    await this.commit.add(messages.map((message) => toInboundSms(gateway, randomUUIDv7(), message)));
  }

  /** Resolves when every message received before is stored. */
  close(): Promise<void> {
    return this.commit.close();
  }

  /** Logs and drops a message that the database refuses, so that its gateway does not repeat it for ever. */
  private async storeAll(messages: NewInboundSms[]): Promise<void> {
    const reportIds: string[] = [];
    const store = async (part: NewInboundSms[]): Promise<void> => {
      const stored = await this.durable.transaction((db) => storeInboundSms(db, part));
      reportIds.push(...stored.reportIds);
      if (stored.unowned.length > 0)
        this.logger.warn({ gateway: part[0]?.gateway, count: stored.unowned.length }, 'inbound.unowned');
    };
    for (const { item, error } of await bisect(messages, store, isRefusedValue))
      this.logger.error({ gateway: item.gateway, inboundId: item.id, error }, 'inbound.refused');
    this.queues.get(REPORT_QUEUES.OTHER).enqueue(reportIds);
  }
}
