// Secrets that a server may want.

/** A secret comes after # once and is then kept out of sight, so that a copied address does not carry it. */
export function takeSecret(field: string, key: string): string {
  const found = new RegExp(`(?:^#|&)${field}=([^&]*)`).exec(location.hash);
  if (found) {
    sessionStorage.setItem(key, decodeURIComponent(found[1]!));
    const rest = location.hash.replace(found[0], found[0].startsWith("#") ? "#" : "").replace(/^#&?$/, "");
    history.replaceState(null, "", location.pathname + rest);
  }
  return sessionStorage.getItem(key) ?? "";
}

/** The secret of the server. */
export function takeToken(): string {
  return takeSecret("token", "token");
}
