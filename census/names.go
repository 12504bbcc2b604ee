package census

// names are what people call the objects that ash is made of, and a few more.
var names = map[string]string{
	"xs4_33": "block", "xs6_696": "beehive", "xs7_2596": "loaf", "xs5_253": "boat", "xs6_356": "ship", "xs4_252": "tub", "xs8_6996": "pond",
	"xs7_25ac": "long boat", "xs12_g8o653z11": "ship tie", "xs6_25a4": "barge", "xs14_g88m952z121": "half bakery", "xs8_69ic": "mango",
	"xs7_178c": "eater 1", "xs8_25ak8": "long barge", "xs6_39c": "aircraft carrier", "xs14_69bqic": "paperclip", "xs8_35ac": "long ship",
	"xs9_31ego": "integral sign", "xs8_3pm": "shillelagh", "xs10_g8o652z01": "boat tie", "xs6_bd": "snake", "xs14_g88b96z123": "big S",
	"xs16_g88m996z1221": "bi-pond", "xs9_178ko": "trans boat with tail", "xs11_g8o652z11": "boat-ship tie", "xs9_4aar": "hat",
	"xs9_25ako": "very long boat", "xs8_178k8": "tub with tail", "xs18_rhe0ehr": "dead spark coil", "xs12_raar": "table on table",
	"xp2_7": "blinker", "xp2_7e": "toad", "xp2_318c": "beacon", "xp2_2a54": "clock", "xp15_4r4z4r4": "pentadecathlon",
	"xp3_co9nas0san9oczgoldlo0oldlogz1047210127401": "pulsar",
	"xq4_153": "glider", "xq4_6frc": "lightweight spaceship", "xq4_27dee6": "middleweight spaceship", "xq4_27deee6": "heavyweight spaceship",
	"yl144_1_16_afb5f3db909e60548f086e22ee3353ac": "block-laying switch engine",
	"yl384_1_59_7aeb1999980c43b4945fb7fcdb023326": "glider-producing switch engine",
}

// Name is the common name of an object, after LifeWiki; "" for most.
func Name(code string) string { return names[code] }
