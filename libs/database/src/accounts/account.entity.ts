import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A tenant. Every row of a tenant carries its id, and every query filters by it. */
@Entity('account')
export class Account {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  /** A suspended account's keys answer 403 account_suspended. */
  @Column('text')
  status!: 'active' | 'suspended';
}
