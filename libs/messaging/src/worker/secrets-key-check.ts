import { Injectable, type OnModuleInit } from '@nestjs/common';
import { acceptSecretsKey } from '@signalbox/database/ops/secrets-keys';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';

/** Refuses to start with a SECRETS_KEY that cannot open what other processes sealed. */
@Injectable()
export class SecretsKeyCheck implements OnModuleInit {
  constructor(
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {}

  /** @throws Error that says what to do */
  async onModuleInit(): Promise<void> {
    const [id, ...oldIds] = this.sealer.keyIds;
    if (await this.db.transaction((db) => acceptSecretsKey(db, id!, oldIds))) return;
    throw new Error(
      'SECRETS_KEY is not the key that sealed the secrets in this database. Set that key, or to replace it, name it in SECRETS_KEYS_OLD.',
    );
  }
}
