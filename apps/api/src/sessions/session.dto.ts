import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, IsUUID } from 'class-validator';
import { FilledText, MaxCodePoints, MinCodePoints, Optional } from '../http/rules.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './password-rules.ts';

const MAX_CODE_LENGTH = 40;
const CODE =
  'The 6 digits of the authenticator app, or a recovery code. Required of users with a second factor.';

/** A sign-in with a password. */
export class SignInRequest {
  @ApiProperty({ description: 'E-mail address of the user.' })
  @FilledText(254)
  email!: string;

  @ApiProperty({ format: 'password' })
  @IsString()
  @MinCodePoints(1)
  @MaxCodePoints(MAX_PASSWORD_LENGTH)
  password!: string;

  @ApiPropertyOptional({ description: CODE })
  @Optional()
  @FilledText(MAX_CODE_LENGTH)
  code?: string;
}

/** A sign-in with a link. */
export class LinkRequest {
  @ApiProperty({ description: 'The text after `#token=` of the sign-in link.' })
  @FilledText(100)
  token!: string;

  @ApiPropertyOptional({ description: CODE })
  @Optional()
  @FilledText(MAX_CODE_LENGTH)
  code?: string;
}

/** The account to act in. */
export class AccountChoice {
  @ApiProperty({ format: 'uuid', description: 'One of `accounts` of `/v1/me`; of an operator any account.' })
  @IsUUID()
  accountId!: string;
}

/** A new password. */
export class PasswordChange {
  @ApiPropertyOptional({ format: 'password', description: 'Required once the user has a password.' })
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_PASSWORD_LENGTH)
  currentPassword?: string;

  @ApiProperty({
    format: 'password',
    description: `At least ${MIN_PASSWORD_LENGTH} characters, and none of the most common passwords.`,
  })
  @IsString()
  @MinCodePoints(MIN_PASSWORD_LENGTH)
  @MaxCodePoints(MAX_PASSWORD_LENGTH)
  newPassword!: string;
}

/** The proof that whoever uses the session is its user. */
export class PasswordProof {
  @ApiPropertyOptional({ format: 'password', description: 'Required once the user has a password.' })
  @Optional()
  @IsString()
  @MaxCodePoints(MAX_PASSWORD_LENGTH)
  password?: string;
}

/** A code of the authenticator app. */
export class TotpCode {
  @ApiProperty({ description: 'The 6 digits of the authenticator app.' })
  @FilledText(MAX_CODE_LENGTH)
  code!: string;
}
