import { Injectable, type OnModuleInit } from '@nestjs/common';
import { acceptSecretsKey } from '@signalbox/database/ops/secrets-keys';
import { Sealer } from '@signalbox/runtime/seal';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import { whileAway } from './while-away.ts';

/** Refuses to start with a SECRETS_KEY that cannot open what other processes sealed. */
@Injectable()
export class SecretsKeyCheck implements OnModuleInit {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {}

  /** @throws Error that says what to do */
  async onModuleInit(): Promise<void> {
    const [id, ...oldIds] = this.sealer.keyIds;
    const accept = () => this.db.transaction((db) => acceptSecretsKey(db, id!, oldIds));
    if (await whileAway(accept, { logger: this.logger })) return;
    throw new Error(
      'SECRETS_KEY is not the key that sealed the secrets in this database. Set that key, or to replace it, name it in SECRETS_KEYS_OLD.',
    );
  }
}
