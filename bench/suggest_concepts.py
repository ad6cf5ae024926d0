"""Ten concepts with their variants, as an expert would write them before reading a document; for bench/suggest.py."""

_TABLES = """
artificial intelligence: AI | artificial intelligence | machine learning | deep learning | neural
  network | generative AI | large language model | LLM | natural language processing | computer
  vision | predictive analytics | algorithm | automation | chatbot | robotics
electricity use: electricity | electric power | power consumption | energy consumption | energy
  efficiency | renewable energy | solar | wind power | kilowatt-hour | energy costs | utility costs
  | power outage | energy usage
personal data: personal data | personal information | privacy | data protection | GDPR | CCPA | data
  subject | General Data Protection Regulation | California Consumer Privacy Act | confidential
  information | customer data | sensitive information | personally identifiable information | HIPAA
  | protected health information
cybersecurity: cybersecurity | cyberattack | data breach | security breach | malware | ransomware |
  phishing | hacking | computer virus | unauthorized access | denial of service | information
  security | network security | cyber incident | encryption
sanctions: sanctions | embargo | OFAC | Office of Foreign Assets Control | export controls | trade
  restrictions | tariffs | export licenses | import duties | trade barriers | boycott | trade policy
anti-corruption: bribery | corruption | FCPA | Foreign Corrupt Practices Act | UK Bribery Act |
  improper payments | anti-money laundering | money laundering | fraud | kickbacks | code of conduct
  | whistleblower | government officials
climate risk: climate change | global warming | greenhouse gas | carbon emissions | carbon dioxide |
  carbon footprint | severe weather | natural disasters | drought | flooding | hurricanes |
  wildfires | sustainability | emissions
going concern: going concern | liquidity | insolvency | bankruptcy | default | credit rating |
  covenant | refinancing | cash shortfall | working capital | indebtedness | downgrade | borrowing
  capacity
litigation: litigation | lawsuit | class action | legal proceedings | plaintiff | defendant |
  settlement | arbitration | injunction | damages | complaint | court | appeal | judgment | subpoena
pandemic: COVID-19 | pandemic | coronavirus | epidemic | quarantine | vaccine | lockdown | outbreak
  | social distancing | public health | infectious disease | influenza | travel restrictions
"""


def concepts() -> dict[str, list[str]]:
    """Concept -> variants."""
    found: dict[str, list[str]] = {}
    for line in _TABLES.replace("\n  ", " ").strip().splitlines():
        name, _, variants = line.partition(":")
        found[name] = [variant.strip() for variant in variants.split("|")]
    return found
