import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsMsisdn, MaxCodePoints, NotBlank } from '../http/rules.ts';

/** A chat account to make, or its new name. */
export class ChatAccountRequest {
  @ApiProperty({ description: 'Unique in the account', maxLength: 100 })
  @IsString()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;
}

/** A number to send from. */
export class ChatSenderRequest {
  @ApiProperty({ example: '15550100002', description: '7 to 15 digits with country code, optional plus' })
  @IsString()
  @IsMsisdn()
  msisdn!: string;
}
