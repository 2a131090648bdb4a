import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An API key of an account. The key itself is shown once and kept nowhere: only its SHA-256 is. */
@Entity('api_key')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('bytea')
  hash!: Buffer;

  /** `sb_live_` or `sb_test_`, and the last four characters: enough to recognise a key by. */
  @Column('text')
  prefix!: string;

  @Column('text')
  last4!: string;

  @Column('text', { array: true })
  scopes!: string[];
}
