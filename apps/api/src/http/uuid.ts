/** The shape of our ids; any other text is an absent one, and needs no look-up. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
