/** Codes that every gateway's reasons are translated to (`errCode` on the wire), each with its meaning. */
export const ERR_CODES = {
  '000': 'No error.',
  '001': 'The phone is switched off, out of coverage or does not answer.',
  '002': 'The carrier or the recipient bars this message or sender.',
  '003': 'The number does not exist or is malformed.',
  '004': 'The message expired before it was delivered.',
  '005': 'The phone refused the message: its memory is full or it has a fault.',
  '006': 'A network or the gateway failed.',
  '007': 'The sender is refused: unknown, unregistered or not allowed for this number.',
  '008': 'The content is refused, for example as spam.',
  '009': 'The DLT registration does not match: entity, template or header.',
  '010': 'The recipient has not agreed: do-not-disturb list, missing consent or opt-out.',
  '011': 'No route of Signalbox takes the message, or the gateway does not serve the number.',
  '012': "The gateway's account has no credit or its quota is used up.",
  '013': 'The gateway calls the request invalid; its settings or the message need a change.',
  '014': 'The recipient cannot get this kind of message.',
  '015': 'The template is missing, paused or refused at the gateway.',
  '099': 'The gateway names a reason that its error table does not list.',
} as const;

export type ErrCode = keyof typeof ERR_CODES;
