import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** A business chat-app account. Its id is the wire's numeric chatAccountId. */
@Entity('chat_account')
export class ChatAccount {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  @Column('text')
  name!: string;
}

/** A number that a chat account sends from; it belongs to one chat account only. */
@Entity('chat_sender')
export class ChatSender {
  @PrimaryColumn('text')
  msisdn!: string;

  @Column('bigint', { name: 'chat_account_id' })
  chatAccountId!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;
}
