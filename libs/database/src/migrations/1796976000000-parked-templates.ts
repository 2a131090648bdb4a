import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from './indexes.ts';

const PARKED = [
  ['template_parked', `template (id) WHERE status = 'PENDING' AND deleted_at IS NULL AND starts >= 10`],
] as const;

/** Indexes parked templates, so that counting them reads none that a provider is to decide on. */
export class ParkedTemplates1796976000000 implements MigrationInterface {
  readonly transaction = false;

  up(runner: QueryRunner): Promise<void> {
    return buildIndexes(runner, PARKED);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropIndexes(runner, PARKED);
  }
}
